"""Generates the filing history of a British company: its items, and their ids (docs/formats/uk.md 5.2).

Belongs here: filings about accounts, names, holders and the end of a company, and a form registered in error until
the company's story begins. Does not belong here: pages and HTTP (`rest_http`), events (`stream_events`).
"""

from __future__ import annotations

import base64
import hashlib
from datetime import date, timedelta
from typing import Any, Final

from sandbox.model.company import Accounts, Company, Holder
from sandbox.uk import files
from sandbox.uk.ixbrl import is_marked_revised
from sandbox.uk.profiles import account_type
from sandbox.world import FIRST_DAY, World

Record = dict[str, Any]
_DAY: Final = timedelta(days=1)
_DOCUMENTS: Final = "https://document-api.company-information.service.gov.uk/document"
_IN_ERROR: Final = 4  # one company in four has a form that is removed when its story begins
_PSC: Final = "persons-with-significant-control"
# Filing published for a change of the register's status: form, category, description.
_NOTICES: Final = {
    ("Active", "Active - Proposal to Strike off"): ("GAZ1", "gazette", "gazette-notice-compulsory"),
    ("Active - Proposal to Strike off", "Active"): ("DISS40", "gazette", "gazette-filings-brought-up-to-date"),
    ("Active", "Liquidation"): ("600", "insolvency", "liquidation-voluntary-appointment-of-liquidator"),
    ("Active", "In Administration"): (
        "AM01",
        "insolvency",
        "liquidation-in-administration-appointment-of-administrator",
    ),
}


def document_key(company: Company, accounts: Accounts) -> str:
    """Native id of a document: the transaction id of its item in the filing history, else its SHA-256.

    If one day and kind have several documents or several items, they cannot be matched, and the documents are
    identified by their hash. A revised document that does not say so counts as the original's kind.
    """
    period = [one for one in company.accounts if one.end == accounts.end]
    items = [one for one in period if one.is_amended == accounts.is_amended]
    says = is_marked_revised(company, accounts)
    alike = [one for one in period if is_marked_revised(company, one) == says]
    is_told = len(items) == len(alike) == 1 and says == accounts.is_amended
    return transaction_id(company, accounts) if is_told else files.document_sha256(company, accounts)


def transaction_id(company: Company, *filed: object) -> str:
    """The register's id of a filing, in the register's format: a number and a word in base64."""
    parts = [str(one.document) if isinstance(one, Accounts) else str(one) for one in filed]
    digest = hashlib.sha256("/".join((company.number, *parts)).encode()).digest()
    number = 3_000_000_000 + int.from_bytes(digest[:4]) % 1_000_000_000
    return base64.urlsafe_b64encode(f"{number}adiqzkcx".encode()).decode()


def history_items(world: World, position: int, day: int) -> list[Record]:
    """All items of one company up to a day, newest first."""
    company = world.company("UK", position, day)
    found = [_accounts_item(company, accounts) for accounts in company.accounts]
    found += [_name_change_item(company, changed, name) for changed, name in company.former_names]
    for holder in company.holders:
        found += _psc_items(company, holder)
    found += [_incorporation_item(company), _confirmation_item(company), *_story_items(world, company, day)]
    return sorted(found, key=lambda item: (item["date"], item["transaction_id"]), reverse=True)


def _history_item(company: Company, form: str, category: str, description: str, on: date, *part: object) -> Record:
    identity = transaction_id(company, *(part or (form, on)))
    return {
        "barcode": f"X{identity[:7].upper()}",
        "category": category,
        "date": on.isoformat(),
        "description": description,
        "links": {
            "document_metadata": f"{_DOCUMENTS}/{identity}",
            "self": f"/company/{company.number}/filing-history/{identity}",
        },
        "pages": 3,
        "transaction_id": identity,
        "type": form,
    }


def _accounts_item(company: Company, accounts: Accounts) -> Record:
    """The item of accounts, registered the day before the bulk product has the document."""
    what = "accounts-amended" if accounts.is_amended else "accounts"
    description = f"{what}-with-accounts-type-{account_type(accounts)}"
    form = "AAMD" if accounts.is_amended else "AA"
    item = _history_item(company, form, "accounts", description, accounts.published - _DAY, accounts)
    made_up = accounts.end.isoformat()
    return {**item, "action_date": made_up, "description_values": {"made_up_date": made_up}}


def _name_change_item(company: Company, changed: date, name: str) -> Record:
    item = _history_item(company, "CERTNM", "change-of-name", "certificate-change-of-name-company", changed)
    return {**item, "description_values": {"description": f"Company name changed {name}"}}


def _psc_items(company: Company, holder: Holder) -> list[Record]:
    found = [
        _history_item(company, "PSC01", _PSC, f"notification-of-a-person-with-significant-control-{holder.kind}",
              holder.notified, "PSC01", holder.key)
    ]  # fmt: skip
    if holder.ceased:
        what = "cessation-of-a-person-with-significant-control"
        found.append(_history_item(company, "PSC07", _PSC, what, holder.ceased, "PSC07", holder.key))
    return found


def _incorporation_item(company: Company) -> Record:
    return _history_item(company, "NEWINC", "incorporation", "incorporation-company", company.registered)


def _confirmation_item(company: Company) -> Record:
    """A confirmation statement: it has a date up to which it is made, and is not accounts."""
    on = max(company.registered, FIRST_DAY - 30 * _DAY)
    what = "confirmation-statement-with-no-updates"
    item = _history_item(company, "CS01", "confirmation-statement", what, on)
    made_up = (on - _DAY).isoformat()
    return {**item, "action_date": made_up, "description_values": {"made_up_date": made_up}}


def _story_items(world: World, company: Company, day: int) -> list[Record]:
    """Items published for each day of the company's story."""
    turns = [turn for turn in world.change_days("UK", company.position) if turn > 0]
    found: list[Record] = []
    for turn in turns:
        if turn <= day and company.position < world.count("UK", turn - 1):
            before = world.company("UK", company.position, turn - 1)
            found += _change_items(before, world.company("UK", company.position, turn), world.date(turn))
    if company.position % _IN_ERROR == 0 and turns and turns[0] > day:
        found.append(_history_item(company, "MISC", "miscellaneous", "miscellaneous", FIRST_DAY - _DAY))
    return found


def _change_items(before: Company, after: Company, on: date) -> list[Record]:
    if before.is_in_register and not after.is_in_register:
        return [_history_item(after, "GAZ2", "gazette", "gazette-dissolved-compulsory", on)]
    if after.is_in_register and not before.is_in_register:
        return [_history_item(after, "AC92", "restoration", "restoration-order-of-court", on)]
    notice = _NOTICES.get((before.registry_status or "", after.registry_status or ""))
    found = [_history_item(after, *notice, on)] if notice else []
    if (before.place, before.street) != (after.place, after.street):
        what = "change-registered-office-address-company-with-date-old-address-new-address"
        found.append(_history_item(after, "AD01", "address", what, on))
    return found
