"""versions of api.database.migrations.

Holds 0001_accounts_and_keys, 0002_usage_and_trials, 0003_webhooks, 0004_dashboard, 0005_billing,
0006_shown_once.
"""
