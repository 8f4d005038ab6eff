"""Grammar of authorities' headlines: the type of act and the respondent (docs/formats/news.md 1.2 to 1.5).

Belongs here: the words of each language, and the position of the respondent: after the verb, before it, after
«against», «för», «til» or a colon, found in time linear in the headline's
length. Names elsewhere in a headline are only mentioned. Does not belong here:
lists of respondents (`name_matching.respondents`), amounts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

from connectors.regulators import act_types as k
from connectors.regulators.about_individuals import is_about_individual

LONGEST_PARTY: Final = 251  # characters of a respondent; longer matches are not names
_NEAR: Final = 120  # characters between an act and the word before its respondent


@dataclass(frozen=True, slots=True)
class HeadlineFrame:
    """One phrasing. A respondent begins where `opens` ends and ends where `closes` begins.

    act: must match before `opens`, within a short sentence's distance; None if `opens` alone is enough.
    """

    opens: re.Pattern[str]
    closes: re.Pattern[str]
    act: re.Pattern[str] | None = None


def compile_frame(opens: str, closes: str, act: str | None = None) -> HeadlineFrame:
    """Builds a frame from patterns. An empty `opens` matches the start of the headline."""
    return HeadlineFrame(re.compile(opens or "^"), re.compile(closes), None if act is None else re.compile(act))


def find_respondent(text: str, frames: tuple[HeadlineFrame, ...]) -> str | None:
    """The respondent of the first frame that matches; None if none does."""
    return next((found for one in frames if (found := _within_frame(text, one)) is not None), None)


def _within_frame(text: str, one: HeadlineFrame) -> str | None:
    """The text between an opening and the closing nearest to it."""
    ends = [found.start() for found in one.closes.finditer(text)]
    acts = None if one.act is None else [found.end() for found in one.act.finditer(text)]
    for found in one.opens.finditer(text):
        begin = found.end()
        if begin >= len(text) or text[begin].isspace() or not _is_near_act(acts, found.start()):
            continue
        place = bisect_right(ends, begin)
        if place < len(ends) and ends[place] - begin <= LONGEST_PARTY:
            return text[begin : ends[place]]
    return None


def _is_near_act(acts: list[int] | None, opening: int) -> bool:
    """Whether an act is close enough before an opening to belong to it."""
    if acts is None:
        return True
    place = bisect_right(acts, opening)
    return place > 0 and opening - acts[place - 1] <= _NEAR


LONGEST: Final = 600  # characters of a headline


@dataclass(frozen=True, slots=True)
class HeadlineLanguage:
    """kinds: the first match wins; frames: positions of the respondent, the first match wins.

    no_act: an act that is denied, lifted, reduced or appealed, or only proposed or looked into, is none.
    """

    kinds: tuple[tuple[str, re.Pattern[str]], ...]
    frames: tuple[HeadlineFrame, ...]
    no_act: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class ParsedHeadline:
    """A parsed headline.

    kind: None if it reports no act. party: None if it has no respondent. is_about_party: about an individual of a
    company (an owner, a director, an auditor).
    """

    kind: str | None
    party: str | None
    is_about_party: bool = False


def parse_headline(headline: str, language: HeadlineLanguage) -> ParsedHeadline:
    """Kind and respondent of a headline."""
    text = " ".join(headline[:LONGEST].split())
    kind = next((kind for kind, words in language.kinds if words.search(text)), None)
    if kind is None or kind in k.NEVER_MATCHED:
        return ParsedHeadline(kind, None)
    if language.no_act.search(text):
        return ParsedHeadline(None, None)
    party = (find_respondent(text, language.frames) or "").strip(" ,;:–-")
    if not party:
        return ParsedHeadline(kind, None)
    if is_about_individual(text[: text.index(party) + len(party)]):
        return ParsedHeadline(kind, None, is_about_party=True)
    return ParsedHeadline(kind, party)


def _compile_words(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


# After a respondent: money, or a word that continues the sentence; company names contain none of them.
_ON: Final = (
    r"(?=\s+(?:(?:of\s+)?(?:[£$€]|(?:SEK|NOK|EUR|GBP|USD)\b)|(?:an?|over|for|[Tt]o|[Ww]ith|[Ii]n|after|following|"
    r"from|[Oo]n|by|because|as|owned|formerly|trading|more|nearly|almost|at least|approximately|about|record|who|"
    r"which|that|is|was|has|[Ff]or|[Ff]rom|[Oo]ver|[Aa]fter|[Ff]ollowing|[Aa]s|[Bb]y)\b)|\s+[–—-]\s|\s*:\s|\.?$)"
)
_BODY: Final = (
    r"^(?:UPDATED?:? |Statement: )?(?:[Tt]he )?(?:FCA|PRA|CFTC|SEC|Financial Conduct Authority|Prudential Regulation "
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
_DO: Final = (
    r"(?:fine|ban|censure|charge|sue|prosecute|sanction|suspend|revoke|cancel|order|restrict|impose|penali[sz]e)"
)
_DEED: Final = r"(?:fines?|penalt(?:y|ies)|bans?|censures?|charges?|sanctions?|suspensions?|prohibitions?|orders?)"
_SUIT: Final = r"(?:complaint|lawsuit|suit|case) against\b"
_UNDONE: Final = r"(?:overturned|quashed|annulled|vacated|withdrawn|lifted|dismissed|set aside|reduced|halved)"
ENGLISH: Final = HeadlineLanguage(
    no_act=_compile_words(
        rf"\bnot (?:be |to |to be )?{_DO}d?\b",
        rf"\bno (?:further )?{_DEED}\b",
        rf"\b(?:(?:overturn|quash|annul|dismiss|drop|revers|rescind|lift|appeal)\w*|sets? aside)"
        rf"(?: \S+){{0,3}}? {_DEED}\b",
        rf"\b(?:vacate[sd]?|stays|stayed|throws? out|thrown out)(?: \S+){{0,3}}? {_DEED}\b",
        rf"\b(?:drops?|dropped|loses|dismiss\w*|withdr[ae]w\w*|discontinue[sd]?|throws? out)(?: \S+){{0,3}}? {_SUIT}",
        rf"\b{_DEED} (?:on|against|for) .{{1,120}} {_UNDONE}\b",
        rf"[\[(]{_UNDONE}[\])]",
        rf"\b(?:could|may|might|should|(?:threatens?|urged|asked|set|expected|seeks?) to) (?:be )?{_DO}d?\b",
        rf"\b(?:propos|intend|plan|consider)\w* (?:to )?(?:{_DO}|{_DEED})\b",
        rf"\b(?:withdr[ae]w\w*|reduces?|halves?|rejects?|rejected)(?: \S+){{0,3}}? (?:{_DEED}|notices?)\b",
    ),
    kinds=(
        (k.OTHER, _compile_words(r"\bat (?:its|their|the firm['’]s) own request\b")),
        (k.CLONE_WARNING, _compile_words(r"\bclones?\b", r"\bimpostors?\b", r"\bimpersonat")),
        (
            k.UNAUTHORISED_WARNING,
            _compile_words(
                r"\bunauthori[sz]ed (?:firm|provider|business|website)",
                r"\bwarns?\b (?!.*\bcensure)",
                r"\bwarnings? (?:list|about|against)\b",
                r"\bscams?\b",
            ),
        ),
        (k.INSPECTION_REPORT, _compile_words(r"\b(?:inspection|supervisory) report\b")),
        (
            k.SANCTION_FINE,
            _compile_words(
                r"\b(?:fine[sd]?|penalt(?:y|ies)|penali[sz]e[sd]?|to pay|agrees to pay|restitution|disgorgement)\b"
            ),
        ),
        (
            k.LICENCE_WITHDRAWAL,
            _compile_words(
                r"\b(?:revok|cancel|withdraw)\w*\b.{0,60}\b(?:permission|registration|licen[cs]e|authori[sz]ation)",
                r"\b(?:licen[cs]e|authori[sz]ation|permission|registration)s?\b.{0,60}\b(?:revoked|cancelled|withdrawn)",
                r"\bcancellation notice\b",
                r"\bcancels\b",
            ),
        ),
        (k.SANCTION_WARNING, _compile_words(r"\bcensure[sd]?\b", r"\breprimand", r"\bremark\b", r"\bpublic warning\b")),
        (k.PROHIBITION, _compile_words(r"\b(?:bans?|banned|prohibit(?:s|ed|ion))\b")),
        (
            k.ADMINISTRATIVE_PROCEEDING,
            _compile_words(r"\b(?:decision|warning) notice\b", r"\badministrative proceeding"),
        ),
        (k.ORDER, _compile_words(r"\bsupervisory notice\b", r"\brequirement notice\b")),
        (k.OTHER, _compile_words(r"\bfinal notice\b", r"\bsanctions? (?:on|against)\b", r"\btakes action against\b")),
        (
            k.LITIGATION,
            _compile_words(
                r"\b(?:charge[sd]?|sue[sd]?|prosecut\w+|complaint|lawsuit|consent order|judgment|injunction|court|"
                r"judge|"
                r"settles?|convicted|sentenced|indict\w*)\b"
            ),
        ),
        (k.ORDER, _compile_words(r"\b(?:order(?:s|ed)?|restrict(?:s|ed)?|suspends?|stops?|imposes)\b")),
    ),
    frames=(
        compile_frame(
            r"^(?:Final|Decision|Warning|Cancellation|Requirement|(?:First |Second )?Supervisory) [Nn]otice"
            r"(?: \d{4})?(?: for| to)?\s*[:–—-]?\s+",
            "$",
        ),
        compile_frame(rf"{_BODY} (?:[a-z]+ ){{0,2}}?{_DID} ", _ON),
        compile_frame(
            r"\b(?:[Aa]gainst|[Uu]pon|(?:[Pp]enalt(?:y|ies)|[Ff]ines?|[Rr]estrictions?|[Ss]anctions?) [Oo]n|"
            r"(?:[Ff]ine|[Rr]emark|[Ww]arning|[Rr]eprimand) (?:to|for)|(?:[Ww]ithdrawn|[Rr]evoked|[Cc]ancelled) "
            r"for) ",
            _ON,
        ),
        compile_frame(
            "",
            r",? (?:(?:is|was|has been|have been|are|were) )?(?:fined|ordered|censured|charged|banned|sanctioned|"
            r"[Ff]ined|[Oo]rdered|[Cc]harged|[Ss]entenced|[Aa]grees? to [Pp]ay|[Tt]o [Pp]ay|[Pp]ays|receives|"
            r"is issued|given)\b",
        ),
    ),
)

_AFTER: Final = (
    r"(?=\s+(?:på|om|efter|på grund|avseende|enligt|samt att|etter|som følge|på kr|for brudd|på NOK)\b|\.?$)"
)
_SWEDISH_ACT: Final = (
    r"(?:[Aa]nmärkning|[Vv]arning|[Ss]anktionsavgift(?:er)?|[Ss]traffavgift(?:er)?|[Åå]terkall(?:at|ar|else)|[Ff]örbud|"
    r"[Ff]örelägg\w+|[Vv]ite|[Ee]rinran|[Ss]ärskild avgift|[Bb]öter)"
)
SWEDISH: Final = HeadlineLanguage(
    no_act=_compile_words(
        rf"\b(?:ingen|inga|inget|inte|ej|slipper)(?: \w+)? {_SWEDISH_ACT}",
        r"\b(?:upphäv|undanröj|ogiltigförklar|avskriv)\w*",
        r"\böverklaga[rt]\b",
        r"\b(?:sänk(?:er|t|s|te)|halver\w+|mildra[rts]?|överväger|utreder|föreslår|frias|frikänn\w*)\b",
        r"\bförslag (?:till|om)\b",
        r"\b(?:får|fick|ges|ger|gav)(?: \w+){0,4}? rätt\b",
        rf"\b(?:avstår från|utan|återkallar|avslutar (?:\w+ ){{0,3}}?om) {_SWEDISH_ACT}",
        rf"\b(?:drar|drog|dragit) tillbaka (?:\w+ ){{0,2}}?{_SWEDISH_ACT}",
    ),
    kinds=(
        (k.OTHER, _compile_words(r"\bpå egen begäran\b", r"\bat (?:its|their) own request\b")),
        (k.CLONE_WARNING, _compile_words(r"\b(?:kapad|kapade|klonad|klonade|falsk[at]?|bluff\w*|utger sig)\b")),
        (
            k.UNAUTHORISED_WARNING,
            _compile_words(r"\bvarnar för\b", r"\bvarningslista", r"\bsaknar tillstånd\b", r"\bwarns\b"),
        ),
        (
            k.SANCTION_FINE,
            _compile_words(
                r"\b(?:sanktionsavgift|straffavgift|särskild avgift|böter|vite)",
                r"\badministrative fine",
                r"\bfine[sd]?\b",
                r"\bpenalt",
            ),
        ),
        (
            k.LICENCE_WITHDRAWAL,
            _compile_words(
                r"\båterkall",
                r"\b(?:licen[cs]e|authori[sz]ation|permit)s?\b.{0,60}\b(?:revoked|withdrawn)",
                r"\b(?:revok|withdraw)\w*\b.{0,60}\b(?:licen[cs]e|authori[sz]ation|permit)",
            ),
        ),
        (
            k.SANCTION_WARNING,
            _compile_words(r"\banmärkning", r"\bvarning", r"\berinran", r"\bremark\b", r"\bwarning\b"),
        ),
        (k.PROHIBITION, _compile_words(r"\bförbud", r"\bförbjud", r"\bprohibit", r"\bban(?:s|ned)?\b")),
        (k.ORDER, _compile_words(r"\bföreläg", r"\borders?\b")),
    ),
    frames=(
        compile_frame(r"\båterkallar ", r":?s tillstånd\b"),
        compile_frame(" (?:för|till|mot) ", _AFTER, act=_SWEDISH_ACT),
        compile_frame(
            " (?:for|to|on|against) ",
            _ON,
            act="(?:[Rr]emark|[Ww]arning|[Ff]ine|[Pp]enalt(?:y|ies)|[Rr]evoked|[Ww]ithdrawn|[Pp]rohibition)",
        ),
        compile_frame("^(?:FI|Finansinspektionen) (?:bötfäller|fines|förelägger|återkallar tillståndet för) ", _ON),
        compile_frame("", r" (?:får|fick|tilldelas|döms|åläggs|ska betala|förlorar|receives?|is issued|is fined)\b"),
        compile_frame(rf"{_SWEDISH_ACT}\s*[:–—-]\s*", "$"),
        compile_frame("", rf"\s*[:–—-]\s*{_SWEDISH_ACT}"),
    ),
)

_NORWEGIAN_ACT: Final = (
    r"(?:[Oo]vertredelsesgebyr|[Tt]ilsynsrapport|[Tt]ilbakekall\w*|[Vv]edtak|[Pp]ålegg|[Ff]orbud|[Kk]ritikk|"
    r"[Mm]erknad(?:er)?|[Tt]vangsmulkt|[Aa]dvarsel)"
)
NORWEGIAN: Final = HeadlineLanguage(
    no_act=_compile_words(
        rf"\b(?:ikke|ingen|slipper|uten)(?: \w+)? {_NORWEGIAN_ACT}",
        r"\b(?:forhånds)?vars(?:ler|let|lede)\b",
        r"\b(?:opphev|omgjør|frafall|henlegg)\w*",
        r"\b(?:omgjort|henlagt|påklage[rt])\b",
        r"\b(?:forhånds)?vars(?:el|ler) om\b",
        r"\bforslag (?:til|om)\b",
        r"\b(?:reduserer|reduserte|halverer|nedsetter|trekker|trakk|vurderer|foreslår|medhold|frifinne[rs]|frifunnet)\b",
    ),
    kinds=(
        (k.OTHER, _compile_words(r"\better (?:eget ønske|egen (?:søknad|anmodning))\b")),
        (k.CLONE_WARNING, _compile_words(r"\b(?:falsk\w*|klone\w*|misbruk\w* (?:av )?navn|utgir seg)\b")),
        (
            k.UNAUTHORISED_WARNING,
            _compile_words(r"\badvarer mot\b", r"\badvarsel mot\b", r"\bmarkedsadvarsel", r"\buten tillatelse\b"),
        ),
        (k.SANCTION_FINE, _compile_words(r"\bovertredelsesgebyr", r"\btvangsmulkt", r"\bgebyr\b", r"\bbot\b")),
        (k.LICENCE_WITHDRAWAL, _compile_words(r"\btilbakekall")),
        (k.PROHIBITION, _compile_words(r"\bforbud", r"\bforbyr\b")),
        (k.SANCTION_WARNING, _compile_words(r"\badvarsel\b", r"\bkritikk")),
        (k.INSPECTION_REPORT, _compile_words(r"\btilsynsrapport", r"\btilsyn (?:hos|ved|i)\b")),
        (k.ORDER, _compile_words(r"\bpålegg", r"\bpålegger\b")),
        (k.OTHER, _compile_words(r"\bvedtak\b")),
    ),
    frames=(
        compile_frame(" (?:til|mot|for|hos|ved) ", _AFTER, act=_NORWEGIAN_ACT),
        compile_frame("", r" (?:ilegges|ilagt|er ilagt|får|fikk|mister|pålegges|gis|har fått)\b"),
        compile_frame(
            r"^Finanstilsynet (?:ilegger|pålegger|tilbakekaller (?:tillatelsen|konsesjonen) til) ",
            r"(?=\s+(?:overtredelsesgebyr|gebyr|tvangsmulkt|et|en|å)\b|\.?$)",
        ),
        compile_frame(r"\s*(?:[:–—]|\s-)\s*", "$", act=_NORWEGIAN_ACT),
        compile_frame("", rf"\s*(?:[:–—]|\s-)\s*{_NORWEGIAN_ACT}"),
    ),
)
