"""Names of companies as they are compared, and whom a name means (docs/formats/news.md 5).

Belongs here: a name's core, legal forms by country, respondents of a title told apart, the decision between
candidates, keys of links. Does not belong here: where candidates come from (`connectors.declare.Link`, a market's
own tables), or what is made of a company that was found.
"""
