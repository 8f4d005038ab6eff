"""Names of companies and holders as they are compared, by one rule for every package (docs/formats/news.md 5).

Belongs here: folding, a name's core, legal forms by country, parsing respondents of a title, the decision between
candidates. Does not belong here: keys of links (`connectors.kit.name_keys`), where candidates come from
(`connectors.contract.dataset.Link`, a market's own tables), or the use of a matched company.
"""
