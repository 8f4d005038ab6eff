"""The sandbox's data model: companies and planned events, with the details of each market.

Does not belong here: generating them (`sandbox.companies`), or the registries' formats (`sandbox.<cc>`).
"""
