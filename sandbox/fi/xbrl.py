"""Annual accounts as the Finnish register serves them: plain XBRL of the OYTP taxonomy.

See docs/formats/fi.md 3.2 and 3.3.

Every context is an instant; the line item is the member of `fi_dim:MCY`, the element only its type. `flavour`
selects one of the register's variants: `full`, `prefixed` (every element with a prefix), `carrying` (all
figures as carrying amounts, comparatives of the income statement without a mark of their own), `holding` (no
revenue). Does not belong here: names and lists of documents (`files`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final
from xml.sax.saxutils import escape

from sandbox.model.company import Accounts, Company, Figures

_DICTIONARY: Final = "http://www.suomi.fi/xbrl/crr/dict"
_SPACES: Final = {
    "fi_MC": f"{_DICTIONARY}/dom/MC",
    "fi_RF": f"{_DICTIONARY}/dom/RF",
    "fi_SC": f"{_DICTIONARY}/dom/SC",
    "fi_dim": f"{_DICTIONARY}/dim",
    "fi_met": f"{_DICTIONARY}/met",
    "iso4217": "http://www.xbrl.org/2003/iso4217",
    "link": "http://www.xbrl.org/2003/linkbase",
    "xbrldi": "http://xbrl.org/2006/xbrldi",
    "xbrli": "http://www.xbrl.org/2003/instance",
    "xlink": "http://www.w3.org/1999/xlink",
}
_SCHEMA: Final = "http://www.valtiokonttori.fi/fi/fr/xbrl/crr/fws/oytp/kpl-2016-12/2019-03-28/mod/oytp_gaap_ind.xsd"
_CARRYING: Final = "mi53"
_ACCUMULATED: Final = "md103"
_YEAR_BEFORE: Final = "x4"
_PERIOD_BEFORE: Final = "x53"
_SHARE_CAPITAL: Final = 250_000
# cents of the parts, chosen so that sums are exact to the cent and every figure rounds to its own whole euro
_EQUITY, _SHORT, _FIXED, _CURRENT, _RESULT, _OPERATING, _REVENUE = 15, 5, 10, 10, 30, 20, 49


@dataclass(frozen=True, slots=True)
class _XbrlFact:
    """One line of one year, in cents."""

    member: str
    element: str
    cents: int
    instant: date
    reference: str | None

    @property
    def context(self) -> str:
        return f"_ctx{self.member}_{self.instant:%Y}{self.reference or ''}"


def render_statement(company: Company, accounts: Accounts) -> bytes:
    """The instance document."""
    facts = [*_statement_facts(accounts)]
    prefix = "xbrli:" if accounts.document_style == "prefixed" else ""
    spaces = dict(_SPACES) if prefix else {"": _SPACES["xbrli"], **_SPACES}
    declared = " ".join(
        f'xmlns:{name}="{address}"' if name else f'xmlns="{address}"' for name, address in spaces.items()
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>' if prefix else ""
    lines = [
        f"{head}<{prefix}xbrl {declared}>",
        f'    <link:schemaRef xlink:href="{_SCHEMA}" xlink:type="simple"/>',
        _context_element(company, prefix, "_ctx1", accounts.end),
    ]
    seen = {fact.context: fact for fact in facts}
    lines += [
        _context_element(company, prefix, key, fact.instant, _scenario_element(prefix, fact))
        for key, fact in seen.items()
    ]
    lines.append(f'    <{prefix}unit id="ISO4217_EUR"><{prefix}measure>iso4217:EUR</{prefix}measure></{prefix}unit>')
    lines += [_text_element("si168", escape(company.name)), _text_element("di120", str(accounts.start))]
    lines += [_text_element("di121", str(accounts.end)), _text_element("si289", company.number)]
    lines += [_amount_element(fact) for fact in facts]
    # a second registration of the same accounts differs only in irrelevant bytes
    return "\n".join([*lines, f"    <!-- {accounts.document} -->", f"</{prefix}xbrl>\n"]).encode()


def _context_element(company: Company, prefix: str, key: str, instant: date, scenario: str = "") -> str:
    entity = f'<{prefix}identifier scheme="http://ytj.fi">{company.number}</{prefix}identifier>'
    return (
        f'    <{prefix}context id="{key}"><{prefix}entity>{entity}</{prefix}entity>'
        f"<{prefix}period><{prefix}instant>{instant}</{prefix}instant></{prefix}period>"
        f"{scenario}</{prefix}context>"
    )


def _scenario_element(prefix: str, fact: _XbrlFact) -> str:
    members = {"MCY": f"fi_MC:{fact.member}"}
    if fact.reference:
        members["REF"] = f"fi_RF:{fact.reference}"
    inside = "".join(
        f'<xbrldi:explicitMember dimension="fi_dim:{name}">{member}</xbrldi:explicitMember>'
        for name, member in members.items()
    )
    return f"<{prefix}scenario>{inside}</{prefix}scenario>"


def _text_element(element: str, text: str) -> str:
    return f'    <fi_met:{element} contextRef="_ctx1">{text}</fi_met:{element}>'


def _amount_element(fact: _XbrlFact) -> str:
    sign, whole = ("-" if fact.cents < 0 else ""), abs(fact.cents)
    return (
        f'    <fi_met:{fact.element} contextRef="{fact.context}" decimals="2" unitRef="ISO4217_EUR">'
        f"{sign}{whole // 100}.{whole % 100:02d}</fi_met:{fact.element}>"
    )


def _statement_facts(accounts: Accounts) -> Iterator[_XbrlFact]:
    """Each line with its comparative, the balance sheet first."""
    years = [(accounts.figures, accounts.end, False)]
    if accounts.prior is not None:
        years.append((accounts.prior, accounts.prior_end, True))
    carrying = accounts.document_style == "carrying"
    for figures, end, before in years:
        for member, cents in _balance_lines(figures).items():
            yield _XbrlFact(member, _CARRYING, cents, end, _YEAR_BEFORE if before else None)
    for figures, end, before in years:
        element = _CARRYING if carrying else _ACCUMULATED
        reference = _PERIOD_BEFORE if before and not carrying else None
        for member, cents in _income_lines(figures).items():
            yield _XbrlFact(member, element, cents, end, reference)


def _balance_lines(figures: Figures) -> dict[str, int]:
    fixed, total = figures.fixed_assets * 100 + _FIXED, figures.total_assets * 100 + _FIXED + _CURRENT
    equity, short = figures.equity * 100 + _EQUITY, figures.short_creditors * 100 + _SHORT
    long = figures.long_creditors * 100
    net = _to_cents(figures.net_result, _RESULT) or 0
    return {
        "x513": fixed,
        "x435": total - fixed,
        "x360": total,
        "x4116": _SHARE_CAPITAL,
        "x932": equity - _SHARE_CAPITAL - net,
        "x2895": net,
        "x376": equity,
        "x1830": long,
        "x1811": short,
        "x424": short + long,
        "x481": total,
    }


def _income_lines(figures: Figures) -> dict[str, int]:
    """Small companies may show a gross result instead of revenue: it is not the revenue."""
    operating, net = (_to_cents(figures.operating_result, _OPERATING) or 0, _to_cents(figures.net_result, _RESULT) or 0)
    revenue = _to_cents(figures.revenue, _REVENUE)
    first = {"x520": operating + 123_456} if revenue is None else {"x673": revenue}
    costs = operating - next(iter(first.values()))
    return {**first, "x1869": costs, "x689": operating, "x12": 0, "x738": operating, "x541": net - operating,
            "x740": net}  # fmt: skip


def _to_cents(amount: int | None, cents: int) -> int | None:
    return None if amount is None else amount * 100 + cents
