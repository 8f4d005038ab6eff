"""Billing through Stripe: a Stripe subscription determines an account's tier, and whether it is served.

Stripe keeps cards, charges, retries, reminds and reports events; none of that is duplicated here, and no card
data ever arrives here. Every Stripe event is only a trigger to fetch the customer's subscriptions again, so
neither the order nor the number of events matters.

Without `FIRM_STRIPE_…` settings billing is off: an operator sets tiers (`firm accounts set-tier`). Does not belong
here: what a tier may use (`api.settings.tiers`), or pages (`checkout` and `portal` return URLs of Stripe's own).
"""
