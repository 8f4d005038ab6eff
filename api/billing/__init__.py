"""What accounts pay, by Stripe: a subscription there says which tier an account has here, and whether it is served.

Stripe keeps cards, charges, retries, reminds and tells of what happened; nothing of that is done again here, and no
card data ever comes here. Whatever Stripe tells is taken as a hint to ask for the customer's subscriptions anew, so
that neither the order nor the number of its events matters.

Without `FIRM_STRIPE_…` settings nothing of this runs: an operator sets tiers (`firm accounts set-tier`). Does not
belong here: what a tier may use (`api.tiers`), or pages (`checkout` and `portal` give addresses of Stripe's own).
"""
