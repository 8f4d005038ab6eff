"""The control-plane database: accounts and keys; models, repositories (all SQL), migrations.

Does not belong here: company data, which is read from releases and never written by the service.
"""
