"""Datasets that look up single subjects: for which of them the company's own first answer is the baseline."""

from __future__ import annotations

import connectors

# A look-up after something new was named is news: its first answer about a company is an event.
LOOKED_UP = {
    "fi.flagging": "releases that were just published, by their addresses",
    "fi.lei": "LEIs: identifiers make no events",
    "no.enhet": "entities of which the change feed has just told",
    "no.konsern": "company",
    "no.lei": "LEIs: identifiers make no events",
    "no.regnskap": "company",
    "no.roller": "company",
    "no.underenheter": "sub-units make no events",
    "se.flagging": "releases that were just published, by their addresses",
    "se.lei": "LEIs: identifiers make no events",
    "se.organisationer": "companies registered lately: their first answer is newer than the weekly file",
    "uk.checked": "companies missing from the complete file, and the answer says why",
    "uk.lei": "LEIs: identifiers make no events",
    "us.endings": "filings that the indexes have just named",
    "us.facts": "filers with a report that the feeds have just named",
    "us.filer": "filers with a filing that the feeds have just named",
    "us.form13f": "filings that the feeds have just named",
    "us.headers": "filings that the feeds have just named",
    "us.insiders": "filings that the feeds have just named",
    "us.schedule13": "filings that the feeds have just named",
}


def test_every_dataset_of_look_ups_declares_what_its_first_answer_is() -> None:
    datasets = [dataset for market in connectors.JURISDICTIONS for dataset in market.datasets]
    asking = {dataset.key for dataset in datasets if dataset.subjects_to_fetch is not None}
    assert asking == LOOKED_UP.keys()
    declared = {dataset.key for dataset in datasets if dataset.is_per_company}
    assert declared == {key for key, why in LOOKED_UP.items() if why == "company"}
