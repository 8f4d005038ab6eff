"""Shared by all British datasets: hosts, licence (docs/formats/uk.md 14), company numbers (docs/formats/uk.md 2).

Belongs here: the canonical spelling of numbers in a whole column. The rule for a single number is in
`warehouse.schema.identifiers`; a test checks that both agree.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import polars as pl

from connectors.contract.dataset import Licence
from connectors.uk.code_lists import load_list
from warehouse.schema.identifiers import company_id, parse_scoped

CODE: Final = "UK"
LICENCE: Final = Licence(
    name="UK public register",
    url="https://www.gov.uk/government/organisations/companies-house",
    attribution=(
        "Contains public sector information from Companies House, licensed under the Open Government Licence v3.0."
    ),
)
DOWNLOADS: Final = "download.companieshouse.gov.uk"
PUBLIC_PAGE: Final = "https://find-and-update.company-information.service.gov.uk/company/"

API_HOST: Final = "api.company-information.service.gov.uk"
API_URL: Final = f"https://{API_HOST}"

_VALID: Final = r"^[A-Z0-9]{8}$"
_EIGHT: Final = re.compile(r"[A-Z0-9]{8}")
_BLANKS: Final = re.compile(r"\s")
_SCOPED: Final = r"^(?:[A-Z]{2}[0-9A-Z]{1,6}|[0-9]{1,8}|[A-Z][0-9]{7})$"
_AMERICAN: Final = r"^(?:US|CIK)"  # parsed as American numbers in any spelling
_PREFIX: Final = company_id("UK", "")

# Spellings filers use for the number of a company registered in the United Kingdom. Fewer digits are more often a
# filing error than one of the few old numbers below 1000; zeros only are no number.
_FILED: Final = (
    r"^(?:0*[1-9][0-9]{3,7}|0[0-9]*[1-9][0-9]*|(?:AC|ZC|FC|GE|LP|OC|SE|SA|SZ|SF|GS|SL|SO|SC|ES|NA|NZ|NF|GN|NL|NC|NI|EN|SG|FE|OE|CE|CS|PC|IP|SP|NP|NO|RC|SR"
    r"|NR|IC|SI|NV|RS|BR)(?:[0-9]{1,6}|[0-9]{5}[A-Z])|R0[0-9]{6}|R[0-9]{7})$"
)
# «No. 1234567»: NO is also a prefix, so the word is removed only if punctuation or another word identifies it
_WORDED: Final = r"^(?:(?:COMPANY|REGISTRATION|REGISTERED|REG\.?)\s*(?:NUMBER|NO)?\s*[.:]?|NUMBER\s*[.:]?|NO\s*[.:])\s*"
_AS_FLOAT: Final = r"^([0-9]+)\.0+$"  # «1234567.0» is a spreadsheet's spelling of 1234567, and not 12345670
_AMBIGUOUS: Final = r"^NO\s"
_DIGITS: Final = r"^[0-9]+$"
_BRITISH: Final = (
    r"(?i)\b(?:england|wales|scotland|northern ireland|united kingdom|great britain|uk|u\.k\.?|gb"
    r"|companies house|cardiff|edinburgh|belfast)\b"
)
# digits without prefix are a company of England and Wales: the other two registers have prefixes
_OTHER_REGISTER: Final = r"(?i)\b(?:scotland|scottish|edinburgh|n\.? ?ireland|northern ireland|belfast)\b"
_ALL_OF_IT: Final = r"(?i)\b(?:england|wales|cardiff|london)\b|great britain and northern ireland"
# Other British registers number from one, too, and Scottish charities with the letters of Scottish companies
_ANOTHER_KIND: Final = (
    r"(?i)\bcharit(?:y|ies|able)\b|\boscr\b|\bccni\b|\bmutuals?\b|\bfriendly societ|\bfca\b|financial conduct"
    r"|financial services|\bland registry\b|\bhmrc\b|\bprivy council\b"
)
_OF_COMPANIES: Final = r"(?i)\bcompan(?:y|ies)\b"
_CHARITY_FORM: Final = r"(?i)charitable incorporated organi[sz]ation|^\s*s?cio\s*$|\broyal charter\b"

# At the end of a name: forms that no company of England and Wales has
_FOREIGN_FORM: Final = (
    r"(?i)[\s,](?:gmbh(?:\s*&\s*co\.?\s*kg)?|l\.?l\.?c|inc|s\.?\s?[aà]\.?\s?r\.?\s?l|b\.?\s?v|n\.?\s?v|s\.\s?p\.\s?a)"
    r"\.?\s*$"
)

# Country names in register details; shorter ones are words of other languages or initials.
_NAME: Final = re.compile(r"[^\W\d_][\w .'\-&()]{3,}")
_MORE: Final = frozenset(
    {"new south wales", "new england", "channel islands", "crown dependency", "offshore", "bvi", "usa", "uae"}
)
_ALSO_BRITISH: Final = frozenset(
    {"pole", "dane", "finn", "jordan", "georgia", "chad"}
)  # also names of people and buildings
_NORTHERN: Final = r"(?i)n(?:orthern|\.)? ?ireland"


def canonical_numbers(number: pl.Expr) -> pl.Expr:
    """Canonical number: eight upper-case characters, zeros after the prefix; null if the text is no number."""
    text = number.str.replace_all(r"\s", "").str.to_uppercase()
    prefix = text.str.extract(r"^([A-Z]{0,2})")
    rest = text.str.slice(prefix.str.len_chars())
    padded = prefix + rest.str.pad_start((8 - prefix.str.len_chars()).cast(pl.UInt32), "0")
    short = text.str.contains(_SCOPED) & ~text.str.contains(_AMERICAN)
    return pl.when(text.str.contains(_VALID)).then(text).when(short).then(padded)


def canonical_number(text: str) -> str | None:
    """Canonical form of one text. Any eight letters and digits count: the register has some outside all rules."""
    bare = _BLANKS.sub("", text).upper()
    if _EIGHT.fullmatch(bare):
        return bare
    number = parse_scoped("UK", bare)
    return None if number is None else number.org_number


def company_ids(number: pl.Expr) -> pl.Expr:
    """`firm:UK:<number>` of a canonical number."""
    return pl.lit(_PREFIX) + number


def british_holder_number(
    number: pl.Expr, country: pl.Expr, place: pl.Expr, country_code: pl.Expr, legal_form: pl.Expr
) -> pl.Expr:
    """Canonical number of a corporate holder that is registered in the United Kingdom according to its details.

    `country_code` is the ISO code of `country`: a known foreign country takes precedence over the place. If any
    detail names a foreign register, a British one not matching the number, or one of charities or other bodies, the
    result is null: the same digits are another company there.
    """
    written = number.str.strip_chars().str.to_uppercase()
    text = written.str.replace(_WORDED, "").str.replace(_AS_FLOAT, "$1").str.replace_all(r"[\s.\-/]", "")
    where = pl.concat_str(country, place, separator=" | ", ignore_nulls=True)
    looks_british = (country_code == "GB") | (country_code.is_null() & where.str.contains(_BRITISH))
    elsewhere = where.str.replace_all(_NORTHERN, "").str.contains(_foreign_names_pattern())
    digits = text.str.contains(_DIGITS)
    other = digits & where.str.contains(_OTHER_REGISTER) & ~where.str.contains(_ALL_OF_IT)
    another_kind = place.str.contains(_ANOTHER_KIND) & ~place.str.contains(_OF_COMPANIES)
    another_kind = another_kind.fill_null(value=False) | (
        digits & legal_form.str.contains(_CHARITY_FORM).fill_null(value=False)
    )
    at_home = looks_british & ~elsewhere & ~other & ~another_kind & ~written.str.contains(_AMBIGUOUS)
    return pl.when(at_home & text.str.contains(_FILED)).then(canonical_numbers(text))


def is_foreign_holder(law: pl.Expr, legal_form: pl.Expr, name: pl.Expr) -> pl.Expr:
    """True if a corporate holder states a foreign law or legal form, or its name ends with such a form."""
    stated = pl.concat_str(law, legal_form, separator=" | ", ignore_nulls=True).str.replace_all(_NORTHERN, "")
    return stated.str.contains(_foreign_names_pattern()) | name.str.contains(_FOREIGN_FORM).fill_null(value=False)


def is_without_prefix(number: pl.Expr) -> pl.Expr:
    """True for digits alone: a company of England and Wales, and not an overseas one with an establishment there."""
    return number.str.contains(_DIGITS)


@cache
def _foreign_names_pattern() -> str:
    """Pattern for any name of a foreign country or a part of one, as a whole word."""
    listed = load_list("countries")
    names = {
        word
        for word in listed.codes
        if listed.get(word, "country") != "GB" and _NAME.fullmatch(word) and word not in _ALSO_BRITISH
    }
    return r"(?i)\b(?:" + "|".join(sorted(map(re.escape, names | _MORE), key=len, reverse=True)) + r")\b"
