"""Matching of company names (docs/formats/news.md 5).

Belongs here: a name's core, legal forms by country, parsing respondents of a title, the decision between
candidates, keys of links. Does not belong here: where candidates come from (`connectors.contract.dataset.Link`, a
market's own tables), or the use of a matched company.
"""
