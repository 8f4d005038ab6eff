"""Headlines of authorities: what was done, and to whom (FORMAT news 1.2 to 1.5).

Belongs here: the words of each language, and where in a headline the respondent stands: behind the verb, before it,
behind «against», «för», «til» or a colon. What stands elsewhere in a headline is mentioned and not meant. Does not
belong here: lists of respondents (`connectors.matching.parties`), amounts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from connectors.regulators import kinds as k

LONGEST: Final = 600  # characters of a headline
_PARTY: Final = r"(?P<party>\S.{0,250}?)"


@dataclass(frozen=True, slots=True)
class Language:
    """kinds: first that fits; frames: where the respondent stands, first that fits."""

    kinds: tuple[tuple[str, re.Pattern[str]], ...]
    frames: tuple[re.Pattern[str], ...]


@dataclass(frozen=True, slots=True)
class Said:
    """What a headline says. `kind`: None where it tells of no act; `party`: None where nobody is its object."""

    kind: str | None
    party: str | None


def said(headline: str, language: Language) -> Said:
    """Kind and respondent of a headline."""
    text = " ".join(headline[:LONGEST].split())
    kind = next((kind for kind, words in language.kinds if words.search(text)), None)
    if kind is None or kind in k.NEVER_MATCHED:
        return Said(kind, None)
    found = next((match for frame in language.frames if (match := frame.search(text))), None)
    return Said(kind, found["party"].strip(" ,;:–-") or None if found else None)


def _words(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


def _frames(*parts: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(part) for part in parts)


# Behind a respondent: money, or a word that goes on with the sentence; company names have none of them.
_ON: Final = (
    r"(?=\s+(?:(?:of\s+)?(?:[£$€]|(?:SEK|NOK|EUR|GBP|USD)\b)|(?:an?|over|for|[Tt]o|[Ww]ith|[Ii]n|after|following|"
    r"from|[Oo]n|by|because|as|more|nearly|almost|at least|approximately|about|record|who|which|that|is|was|"
    r"has|[Ff]or|"
    r"[Ff]rom|[Oo]ver|[Aa]fter|[Ff]ollowing|[Aa]s|[Bb]y)\b)|\s+[–—-]\s|\s*:\s|\.?$)"
)
_BODY: Final = (
    r"^(?:UPDATE:? |Statement: )?(?:[Tt]he )?(?:FCA|PRA|CFTC|SEC|Financial Conduct Authority|Prudential Regulation "
    r"Authority|Bank of England|[A-Z.a-z]{0,12} ?(?:Federal|District)? ?Court|(?:Federal )?Judge)"
    r"(?:(?: and|,) (?:the )?(?:FCA|PRA|Bank of England))?"
)
_DID: Final = (
    r"(?:fines?|fined|penalises|censures|censured|reprimands|bans|banned|prohibits|charges|charged|sues|prosecutes|"
    r"orders|ordered|suspends|restricts|sanctions|Fines?|Fined|Charges?|Orders|Ordered|Sues|Suspends|Bans|Sanctions|"
    r"Censures|Penalizes|Settles (?:[Cc]harges )?[Ww]ith|settles with|takes action against|Revokes "
    r"(?:the )?[Rr]egistrations? of|revokes (?:the )?registrations? of|cancels (?:the )?(?:permissions?|"
    r"registration|"
    r"authorisation) of|cancels|stops)"
)
ENGLISH: Final = Language(
    kinds=(
        (k.CLONE_WARNING, _words(r"\bclones?\b", r"\bimpostors?\b", r"\bimpersonat")),
        (
            k.UNAUTHORISED_WARNING,
            _words(
                r"\bunauthori[sz]ed (?:firm|provider|business|website)",
                r"\bwarns?\b (?!.*\bcensure)",
                r"\bwarnings? (?:list|about|against)\b",
                r"\bscams?\b",
            ),
        ),
        (k.INSPECTION_REPORT, _words(r"\b(?:inspection|supervisory) report\b")),
        (
            k.SANCTION_FINE,
            _words(
                r"\b(?:fine[sd]?|penalt(?:y|ies)|penali[sz]e[sd]?|to pay|agrees to pay|restitution|disgorgement)\b"
            ),
        ),
        (
            k.LICENCE_WITHDRAWAL,
            _words(
                r"\b(?:revok|cancel|withdraw)\w*\b.{0,60}\b(?:permission|registration|licen[cs]e|authori[sz]ation)",
                r"\b(?:licen[cs]e|authori[sz]ation|permission|registration)s?\b.{0,60}\b(?:revoked|cancelled|withdrawn)",
                r"\bcancellation notice\b",
                r"\bcancels\b",
            ),
        ),
        (
            k.SANCTION_WARNING,
            _words(r"\bcensure[sd]?\b", r"\breprimand", r"\bremark\b", r"\bpublic warning\b"),
        ),
        (k.PROHIBITION, _words(r"\b(?:bans?|banned|prohibit(?:s|ed|ion))\b")),
        (
            k.ADMINISTRATIVE_PROCEEDING,
            _words(r"\b(?:decision|warning) notice\b", r"\badministrative proceeding"),
        ),
        (k.ORDER, _words(r"\bsupervisory notice\b", r"\brequirement notice\b")),
        (k.OTHER, _words(r"\bfinal notice\b", r"\bsanctions? (?:on|against)\b", r"\btakes action against\b")),
        (
            k.LITIGATION,
            _words(
                r"\b(?:charge[sd]?|sue[sd]?|prosecut\w+|complaint|lawsuit|consent order|judgment|injunction|court|"
                r"judge|"
                r"settles?|convicted|sentenced|indict\w*)\b"
            ),
        ),
        (k.ORDER, _words(r"\b(?:order(?:s|ed)?|restrict(?:s|ed)?|suspends?|stops?|imposes)\b")),
    ),
    frames=_frames(
        rf"^(?:(?:Final|Decision|Warning|Cancellation|Requirement|(?:First |Second )?Supervisory) [Nn]otice"
        rf"(?: \d{{4}})?(?: for| to)?\s*[:–—-]?\s+){_PARTY}$",
        rf"{_BODY} (?:[a-z]+ ){{0,2}}?{_DID} {_PARTY}{_ON}",
        rf"\b(?:[Aa]gainst|[Uu]pon|(?:[Pp]enalt(?:y|ies)|[Ff]ines?|[Rr]estrictions?|[Ss]anctions?) [Oo]n|"
        rf"(?:[Ff]ine|[Rr]emark|[Ww]arning|[Rr]eprimand) (?:to|for)|(?:[Ww]ithdrawn|[Rr]evoked|[Cc]ancelled) for) "
        rf"{_PARTY}{_ON}",
        rf"^{_PARTY},? (?:(?:is|was|has been|have been|are|were) )?(?:fined|ordered|censured|charged|banned|"
        rf"sanctioned|"
        rf"[Ff]ined|[Oo]rdered|[Cc]harged|[Ss]entenced|[Aa]grees? to [Pp]ay|[Tt]o [Pp]ay|[Pp]ays|receives|"
        rf"is issued|"
        rf"given)\b",
    ),
)

_AFTER: Final = (
    r"(?=\s+(?:på|om|efter|på grund|avseende|enligt|samt att|etter|som følge|på kr|for brudd|på NOK)\b|\.?$)"
)
_SWEDISH_ACT: Final = (
    r"(?:[Aa]nmärkning|[Vv]arning|[Ss]anktionsavgift(?:er)?|[Ss]traffavgift(?:er)?|[Åå]terkall(?:at|ar|else)|[Ff]örbud|"
    r"[Ff]örelägg\w+|[Vv]ite|[Ee]rinran|[Ss]ärskild avgift|[Bb]öter)"
)
SWEDISH: Final = Language(
    kinds=(
        (k.CLONE_WARNING, _words(r"\b(?:kapad|kapade|klonad|klonade|falsk[at]?|bluff\w*|utger sig)\b")),
        (
            k.UNAUTHORISED_WARNING,
            _words(r"\bvarnar för\b", r"\bvarningslista", r"\bsaknar tillstånd\b", r"\bwarns\b"),
        ),
        (
            k.SANCTION_FINE,
            _words(
                r"\b(?:sanktionsavgift|straffavgift|särskild avgift|böter|vite)",
                r"\badministrative fine",
                r"\bfine[sd]?\b",
                r"\bpenalt",
            ),
        ),
        (
            k.LICENCE_WITHDRAWAL,
            _words(
                r"\båterkall",
                r"\b(?:licen[cs]e|authori[sz]ation|permit)s?\b.{0,60}\b(?:revoked|withdrawn)",
                r"\b(?:revok|withdraw)\w*\b.{0,60}\b(?:licen[cs]e|authori[sz]ation|permit)",
            ),
        ),
        (
            k.SANCTION_WARNING,
            _words(r"\banmärkning", r"\bvarning", r"\berinran", r"\bremark\b", r"\bwarning\b"),
        ),
        (k.PROHIBITION, _words(r"\bförbud", r"\bförbjud", r"\bprohibit", r"\bban(?:s|ned)?\b")),
        (k.ORDER, _words(r"\bföreläg", r"\borders?\b")),
    ),
    frames=_frames(
        rf"\båterkallar {_PARTY}(?:s|:s) tillstånd\b",
        rf"{_SWEDISH_ACT}.{{0,120}}? (?:för|till|mot) {_PARTY}{_AFTER}",
        rf"(?:[Rr]emark|[Ww]arning|[Ff]ine|[Pp]enalt(?:y|ies)|[Rr]evoked|[Ww]ithdrawn|[Pp]rohibition).{{0,80}}? "
        rf"(?:for|to|on|against) {_PARTY}{_ON}",
        rf"^(?:FI|Finansinspektionen) (?:bötfäller|fines|förelägger|återkallar tillståndet för) {_PARTY}{_ON}",
        rf"^{_PARTY} (?:får|fick|tilldelas|döms|åläggs|ska betala|förlorar|receives?|is issued|is fined)\b",
        rf"{_SWEDISH_ACT}\s*[:–—-]\s*{_PARTY}$",
        rf"^{_PARTY}\s*[:–—-]\s*{_SWEDISH_ACT}",
    ),
)

_NORWEGIAN_ACT: Final = (
    r"(?:[Oo]vertredelsesgebyr|[Tt]ilsynsrapport|[Tt]ilbakekall\w*|[Vv]edtak|[Pp]ålegg|[Ff]orbud|[Kk]ritikk|"
    r"[Mm]erknad(?:er)?|[Tt]vangsmulkt|[Aa]dvarsel)"
)
NORWEGIAN: Final = Language(
    kinds=(
        (k.CLONE_WARNING, _words(r"\b(?:falsk\w*|klone\w*|misbruk\w* (?:av )?navn|utgir seg)\b")),
        (
            k.UNAUTHORISED_WARNING,
            _words(r"\badvarer mot\b", r"\badvarsel mot\b", r"\bmarkedsadvarsel", r"\buten tillatelse\b"),
        ),
        (k.SANCTION_FINE, _words(r"\bovertredelsesgebyr", r"\btvangsmulkt", r"\bgebyr\b", r"\bbot\b")),
        (k.LICENCE_WITHDRAWAL, _words(r"\btilbakekall")),
        (k.PROHIBITION, _words(r"\bforbud", r"\bforbyr\b")),
        (k.SANCTION_WARNING, _words(r"\badvarsel\b", r"\bkritikk")),
        (k.INSPECTION_REPORT, _words(r"\btilsynsrapport", r"\btilsyn (?:hos|ved|i)\b")),
        (k.ORDER, _words(r"\bpålegg", r"\bpålegger\b")),
        (k.OTHER, _words(r"\bvedtak\b")),
    ),
    frames=_frames(
        rf"{_NORWEGIAN_ACT}.{{0,120}}? (?:til|mot|for|hos|ved) {_PARTY}{_AFTER}",
        rf"^{_PARTY} (?:ilegges|ilagt|er ilagt|får|fikk|mister|pålegges|gis|har fått)\b",
        rf"^Finanstilsynet (?:ilegger|pålegger|tilbakekaller (?:tillatelsen|konsesjonen) til) {_PARTY}"
        rf"(?=\s+(?:overtredelsesgebyr|gebyr|tvangsmulkt|et|en|å)\b|\.?$)",
        rf"{_NORWEGIAN_ACT}[^:–—]{{0,80}}?\s*(?:[:–—]|\s-)\s*{_PARTY}$",
        rf"^{_PARTY}\s*(?:[:–—]|\s-)\s*{_NORWEGIAN_ACT}",
    ),
)
