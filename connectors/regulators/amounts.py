"""Parses amounts of money in headlines and texts, by rules for four languages (docs/formats/news.md 1.9).

«SEK 1,2 miljoner», «1 500 000 kronor», «£27,766,200», «$1.5 million», «200 000 euroa». Only a single amount is
accepted: with two in a text, nothing shows which is the fine. Ranges, approximate amounts, amounts of each day, and
amounts with an unknown scale are ignored. Does not belong here: whether an act has a fine at all.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

REACH: Final = 20_000  # characters that are searched
_LARGEST: Final = Decimal(10) ** 15
_THOUSANDS: Final = 3  # digits between two separators
_BLANK: Final = "[ \u00a0\u2007\u202f]"
_NUMBER: Final = rf"\d{{1,3}}(?:{_BLANK}\d{{3}}(?!\d)){{1,4}}(?:[.,]\d{{1,2}})?|\d{{1,15}}(?:[.,'’]\d{{1,9}}){{0,5}}"

_SCALES: Final = {
    **dict.fromkeys(("thousand", "tusen", "tuhatta", "tkr", "k"), 1_000),
    **dict.fromkeys(("million", "millions", "mn", "mln", "mm", "m", "mio", "miljon", "miljoner"), 10**6),
    **dict.fromkeys(("millioner", "mill", "milj", "miljoonaa", "miljoonan"), 10**6),
    **dict.fromkeys(("mkr", "mnkr", "msek", "mnok", "meur"), 10**6),
    **dict.fromkeys(
        ("billion", "billions", "bn", "miljard", "miljarder", "mdr", "milliard", "milliarder", "mrd", "miljardia"),
        10**9,
    ),
    **dict.fromkeys(("trillion", "tn"), 10**12),
}
_CURRENCIES: Final = {
    "£": "GBP", "€": "EUR", "$": "USD", "us$": "USD", "sek": "SEK", "nok": "NOK", "dkk": "DKK", "eur": "EUR",
    "gbp": "GBP", "usd": "USD", "msek": "SEK", "mnok": "NOK", "meur": "EUR", "euro": "EUR", "euros": "EUR",
    "euroa": "EUR", "euron": "EUR", "pounds": "GBP", "dollars": "USD", "dollar": "USD",
}  # fmt: skip
# currency by the country
_CROWNS: Final = ("kronor", "kroner", "krona", "kr", "mkr", "mnkr", "tkr", "kruunua")
_CROWN: Final = {"SE": "SEK", "NO": "NOK", "DK": "DKK", "FI": "SEK"}
_ENGLISH: Final = ("UK", "US")
_ENGLISH_SCALES: Final = ("thousand", "million", "millions", "billion", "billions", "bn", "trillion")

_scale = "|".join(sorted(_SCALES, key=len, reverse=True))
_signs = r"us\$|[£€$]"
_words = "|".join(sorted((*(word for word in _CURRENCIES if word.isalpha()), *_CROWNS), key=len, reverse=True))
# After a number: its scale is unknown, or it continues as a range, or behind a sign that separates its digits («5x»,
# «10-20», «5 to 6», «1·5»), or as at least so much («5m+»), or before a scale in another spelling («5 milion»)
_GOES_ON: Final = (
    rf"(?!(?!(?:{_words})\b)\w|[·∙⋅˙٫٬:/]\d|\+|{_BLANK}?[–—-]{_BLANK}?[£€$]?\d"
    rf"|{_BLANK}(?:to|till|til|and|og|och){_BLANK}[£€$]?\d|{_BLANK}(?:hundred|lakh|crore|mil|bil|thou)\w*)"
)
_AMOUNT: Final = re.compile(
    rf"(?<![\w$£€.,])(?:(?P<before>{_signs}|\b(?:{_words})\.?){_BLANK}?)?(?P<number>{_NUMBER})"
    rf"(?:(?:{_BLANK}?|-)(?P<scale>{_scale})(?![\w])\.?)?(?P<whole>{_GOES_ON})?"
    rf"(?:{_BLANK}?(?P<after>{_signs}|(?:{_words})\b))?",
    re.IGNORECASE,
)
# Before an amount: it is approximate, or the end of a range, or of a larger one («10 miljoner 500 tusen»), or one of
# several («2 x £500,000»), or its sign is that of another country's currency («CAD $5 million»)
_ABOUT: Final = re.compile(
    r"(?:\b(?:over|above|more than|at least|nearly|almost|about|around|approx|approximately|roughly|circa|up to|"
    r"less than|under|below|some|close to|upwards of|in excess of|exceeding|as much as|"
    r"mer än|minst|nästan|cirka|ca|omkring|ungefär|runt|uppemot|upp till|högst|drygt|knappt|närmare|"
    r"mer enn|nesten|omtrent|om lag|rundt|inntil|opp til|opptil|drøyt|drøye|knapt|knappe|snaut|snaue|nærmere|"
    r"yli|noin|lähes|alle|enintään|vähintään|runsaat|reilut|vajaat|"
    r"cad|aud|nzd|sgd|hkd|twd|mxn|canadian|australian)\.?|\bc\.|[~≈<>≤≥]|"
    rf"\b(?:two|three|four|five|six|seven|eight|nine|ten|several) (?:fines|penalties) of|"
    rf"\d{_BLANK}?[–—-]|\d{_BLANK}?[x×]|\d{_BLANK}(?:to|till|til|{_scale})|"
    rf"\b(?:between|mellan|mellom){_BLANK}[\d.,]{{1,12}}{_BLANK}(?:and|och|og))[ \u00a0]*\Z",
    re.IGNORECASE,
)
# Behind an amount: it may be more, or it is that of each day of a default
_MORE: Final = re.compile(
    rf"{_BLANK}?(?:/{_BLANK}?(?:day|dag|dygn|uke|vecka|week)\b|,?{_BLANK}?\b(?:"
    r"or more|eller mer|tai enemmän|daily|daglig|dagligen|päivässä|päivältä|"
    r"(?:per|pr\.?|an?|(?:for )?each|(?:for )?every|(?:för )?varje|(?:for )?hver)"
    r" (?:\w{1,12} )?(?:day|week|month|year|dag|dygn|vecka|uke|månad|måned|år))\b)",
    re.IGNORECASE,
)
_BEFORE: Final = 32  # characters before an amount that qualify it


def parse_amount(country: str, *texts: str | None) -> tuple[int | None, str | None]:
    """Amount and currency of the first text that names any; both None if it names several, or none does.

    A text with an approximate amount is skipped: the next may be exact.
    """
    for text in texts:
        found = set(_find_amounts(country, text[:REACH])) if text else set()
        if len(found) > 1:
            return None, None
        if found and (exact := found.pop()) is not None:
            return exact
    return None, None


def _find_amounts(country: str, text: str) -> list[tuple[int, str] | None]:
    """Every amount of a text; None for those that are not exact."""
    found: list[tuple[int, str] | None] = []
    for match in _AMOUNT.finditer(text):
        before, scale, after = (
            match[name] and match[name].lower().rstrip(".") for name in ("before", "scale", "after")
        )
        word = before or after or (scale if scale in (*_CROWNS, *_CURRENCIES) else None)
        if word is None:
            continue
        value = parse_number(match["number"], country, scale)
        about = _ABOUT.search(text, max(match.start() - _BEFORE, 0), match.start()) or _MORE.match(text, match.end())
        if value is None or match["whole"] is None or about is not None:
            found.append(None)
            continue
        currency = _CURRENCIES.get(word) or _CROWN.get(country)
        whole = value * _SCALES.get(scale or "", 1) * (_SCALES.get(word, 1) if scale is None else 1)
        if currency is not None and 0 < whole < _LARGEST:
            found.append((int(whole.quantize(Decimal(1), ROUND_HALF_UP)), currency))
    return found


def parse_number(text: str, country: str, scale: str | None = None) -> Decimal | None:
    """Parses a number as a country writes it; None if its separators are inconsistent or ambiguous.

    `1,500` is 1500 everywhere: no fine has three decimals. Before a scale it depends on the language: «1,500
    million» is English, «1,500 miljoner» is not; if the words are of one language and the authority of another,
    or the separator is one that neither uses, it stays unknown.
    """
    plain = re.sub(rf"{_BLANK}|['’]", "", text)
    signs = [sign for sign in plain if sign in ".,"]
    if not signs:
        return Decimal(plain)
    last = signs[-1]
    parts = _is_thousands_separator(plain, last, country, scale)
    if parts is None:
        return None
    point = last if signs.count(last) == 1 and not parts else None
    groups = plain.rpartition(point)[0].replace(",", ".") if point else plain.replace(",", ".")
    if any(len(group) != _THOUSANDS for group in groups.split(".")[1:]):
        return None
    whole = groups.replace(".", "")
    return Decimal(f"{whole}.{plain.rpartition(point)[2]}") if point else Decimal(whole)


def _is_thousands_separator(plain: str, sign: str, country: str, scale: str | None) -> bool | None:
    """Whether the only separator of a number is a thousands separator; None if ambiguous."""
    if len(plain.rpartition(sign)[2]) != _THOUSANDS or len(set(plain) & {".", ","}) > 1:
        return False
    if scale is None or plain.count(sign) > 1:
        return True
    if country in _ENGLISH:
        return sign == ","
    return False if sign == "," and scale not in _ENGLISH_SCALES else None
