"""Names of holders of one company, as they are compared: spellings, transliterations, legal forms, cores.

Belongs here: which words of a name are its legal form, which spellings are one name, how close two cores are
(docs/formats/news.md 5). Does not belong here: whether two records of one name are one holder (`holder_rules`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from warehouse.folding import comparable, folded
from warehouse.legal_forms import SAME, SPELLINGS

CLOSE: Final = 95.0  # token_sort_ratio of two cores among the holders of one company
_SLIP: Final = 1  # letter of a word that is wrong, missing, one too many, or in the place of the next
_SHORT: Final = (
    5  # letters: a shorter core is nobody's own, and a shorter word with another letter another word
)
_SUFFIX: Final = 2  # words that a legal form may have besides the first
_CACHED: Final = 100_000

# Letters of our languages that other alphabets spell with two: Bjørn is Bjorn here and Bjoern there.
_DOUBLED: Final = str.maketrans({"å": "aa", "ä": "ae", "ö": "oe", "ø": "oe", "æ": "ae", "ü": "ue"})
_AND: Final = frozenset({"and", "och", "og", "ja", "und", "et"})

# Every spelling of a legal form, by its words. Two forms of one kind of company in two languages are one where
# registers write either; an AB is public or not, a partnership limited once or twice.
_ONE_FORM: Final = {**SAME, "lllp": "llp"}
_SPELLINGS: Final = {
    tuple(folded(spelling).split()): _ONE_FORM.get(form, form)
    for form, told in {**SPELLINGS, "ab": (*SPELLINGS["ab"], "ab publ", "publ")}.items()
    for spelling in told
}
_IN_FRONT: Final = frozenset({"ab", "as", "oy", "oyj"})  # AB Volvo, A/S Storebæltsforbindelsen, Oy Karl Fazer
# What many names consist of: none of these alone, nor two of them, says who it is.
_COMMON_WORDS: Final = """
    nordic scandi scandinavian capital invest investment investments holding holdings group fund funds fond partners
    management asset trust bank finance global international europe eiendom kapital industri industrier energy real
    estate
"""
_COMMON: Final = frozenset(_COMMON_WORDS.split())
_VOWELS: Final = str.maketrans("", "", "aeiouy")
_VOWEL: Final = str.maketrans("aeiouy", "~~~~~~")
_NUMERALS: Final = frozenset(
    ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv"]
)


@lru_cache(_CACHED)
def _words(name: str) -> str:
    return folded(name)


def spelled(name: str) -> frozenset[str]:
    """The name as it stands, but for case and blanks."""
    return frozenset({" ".join(name.casefold().split())}) - {""}


def plain(name: str) -> frozenset[str]:
    """Without accents and signs."""
    return frozenset({comparable(name)}) - {""}


@lru_cache(_CACHED)
def transliterated(name: str) -> frozenset[str]:
    """Spellings of the letters that other alphabets lack: names that share one are one name."""
    return frozenset({_words(name), folded(name.casefold().translate(_DOUBLED))}) - {""}


def turned(name: str) -> frozenset[str]:
    """The words of a person's name in any order: Musk, Elon is Elon Musk. A single word is nobody's full name."""
    sorted_words = (sorted(words.split()) for words in transliterated(name))
    return frozenset(" ".join(words) for words in sorted_words if len(words) > 1)


@lru_cache(_CACHED)
def forms_of(name: str) -> frozenset[str]:
    """The legal forms that a name ends in or begins with."""
    return _stripped(_words(name))[1]


@lru_cache(_CACHED)
def may_be_person(name: str) -> bool:
    """Whether a name could be a person's: words without a legal form, a figure or a word of firms among them."""
    words = _words(name).split()
    if len(words) <= 1 or not all(word.isalpha() for word in words):
        return False
    return not forms_of(name) and (_COMMON | _AND).isdisjoint(words) and "&" not in name


@lru_cache(_CACHED)
def cores(name: str) -> frozenset[str]:
    """The name without its legal form, in each transliteration; none where what is left is nobody's own."""
    found = (_stripped(words)[0] for words in transliterated(name))
    return frozenset(core for core in found if _is_own(core))


def compatible(forms: frozenset[str], others: frozenset[str]) -> bool:
    """Whether two names may be of one company: one has no legal form, or all its forms are the other's too."""
    return forms <= others or others <= forms


def closeness(name: str, other: str) -> float:
    """How close the cores of two names are, 0 to 100; 0 where they differ in more than slips of the pen."""
    pairs = ((one, two) for one in cores(name) for two in cores(other))
    return max((_score(one, two) for one, two in pairs), default=0.0)


@lru_cache(_CACHED)
def blocks(name: str) -> frozenset[str]:
    """What names that may be close share: a word that is their own, or how their only word begins."""
    found: set[str] = set()
    for core in cores(name):
        words = core.split()
        own = set(words) - _COMMON
        found |= own if len(words) > 1 else {f"^{core[:3]}"}
    return frozenset(found)


@lru_cache(_CACHED)
def skeleton(name: str) -> frozenset[str]:
    """What names that a rule may take for one have in common: a word without its vowels, or how they begin.

    Vowels are what transliterations differ in. Words of legal forms and common ones count where nothing else is
    there.
    """
    words = _words(name).split()
    own = [word for word in words if word not in _COMMON and (word,) not in _SPELLINGS] or words
    begins = {f"^{word[0].translate(_VOWEL)}" for word in own[:1]}
    return frozenset(begins | {_bones(word) for word in own})


def _bones(word: str) -> str:
    return word.translate(_VOWELS) or "~"


def _score(core: str, other: str) -> float:
    one, two = sorted(core.split()), sorted(other.split())
    if len(one) != len(two) or _numbers(one) != _numbers(two):
        return 0.0
    if not all(_is_slip(*pair) for pair in zip(one, two, strict=True)):
        return 0.0
    return fuzz.token_sort_ratio(core, other)


def _is_slip(word: str, other: str) -> bool:
    """Whether a word is another one but for a slip of the pen: øst and vest are two, northern and southern too."""
    if word == other:
        return True
    return min(len(word), len(other)) >= _SHORT and OSA.distance(word, other, score_cutoff=_SLIP) <= _SLIP


def _numbers(words: list[str]) -> list[str]:
    """What tells funds and classes of one family apart: digits, Roman numerals, single letters."""
    return [word for word in words if word in _NUMERALS or len(word) == 1 or not word.isalpha()]


def _is_own(core: str) -> bool:
    return len(core.replace(" ", "")) >= _SHORT and not set(core.split()) <= _COMMON


def _stripped(name: str) -> tuple[str, frozenset[str]]:
    """A folded name without its legal forms, and those; a name is never stripped of its last word."""
    words = ["&" if word in _AND else word for word in name.split()]
    found: set[str] = set()
    if words[:1] == ["the"] and len(words) > 1:
        words = words[1:]
    while (form := _at_end(words)) is not None:
        found.add(_SPELLINGS[form])
        words = words[: -len(form)]
    while len(words) > 1 and (form := _SPELLINGS.get((words[0],))) in _IN_FRONT:
        found.add(str(form))
        words = words[1:]
    return " ".join(word for word in words if word != "&"), frozenset(found)


def _at_end(words: list[str]) -> tuple[str, ...] | None:
    """The longest legal form at the end that leaves a word."""
    lengths = range(_SUFFIX + 1, 0, -1)
    ends = (tuple(words[-length:]) for length in lengths if len(words) > length)
    return next((end for end in ends if end in _SPELLINGS), None)
