"""Name comparison among the holders of one company: spellings, transliterations, legal forms, core names.

Belongs here: which words of a name are its legal form, which spellings are one name, how close two cores are, which
groups have nearly equal names and no other close match (docs/formats/news.md 5). Does not belong here: whether two
records of one name are one holder, or what else contradicts a pair (`match_rules`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from name_matching.folding import fold_text, spelling_key
from name_matching.legal_forms import SAME, SPELLINGS

CLOSE: Final = 95.0  # minimum token_sort_ratio of two cores among the holders of one company
_SLIP: Final = 1  # wrong, missing, extra or transposed letters allowed per word
_SHORT: Final = 5  # letters: a shorter core is not distinctive, and words shorter than this have to match exactly
_SUFFIX: Final = 2  # words that a legal form may have besides the first
_CACHED: Final = 100_000

# Letters of our languages that other alphabets write with two: Bjørn is Bjorn in some sources, Bjoern in
# others.
_DOUBLED: Final = str.maketrans({"å": "aa", "ä": "ae", "ö": "oe", "ø": "oe", "æ": "ae", "ü": "ue"})
_AND: Final = frozenset({"and", "och", "og", "ja", "und", "et"})

# Every spelling of a legal form, by its words. Forms of one kind of company in two languages are equal where
# registers use either; an AB may be public or not, a partnership limited once or twice.
_ONE_FORM: Final = {**SAME, "lllp": "llp"}
_SPELLINGS: Final = {
    tuple(fold_text(spelling).split()): _ONE_FORM.get(form, form)
    for form, told in {**SPELLINGS, "ab": (*SPELLINGS["ab"], "ab publ", "publ")}.items()
    for spelling in told
}
_IN_FRONT: Final = frozenset({"ab", "as", "oy", "oyj"})  # AB Volvo, A/S Storebæltsforbindelsen, Oy Karl Fazer
# Words found in many names: none of these alone, nor two of them, identify a holder.
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
_APART: Final = 3.0  # points by which the best must lead the next, or the match is ambiguous
_CROWD: Final = 200  # groups sharing a word, above which the word is not distinctive
Record = Mapping[str, Any]
Group = list[Record]


@lru_cache(_CACHED)
def _folded_name(name: str) -> str:
    return fold_text(name)


def casefolded_names(name: str) -> frozenset[str]:
    """The name itself, ignoring case and whitespace."""
    return frozenset({spelling_key(name)}) - {""}


def ascii_folded_names(name: str) -> frozenset[str]:
    """The name without accents and punctuation."""
    return frozenset({_folded_name(name)}) - {""}


@lru_cache(_CACHED)
def transliterated_names(name: str) -> frozenset[str]:
    """Transliterations of the name: names that share one are one name."""
    return frozenset({_folded_name(name), fold_text(name.casefold().translate(_DOUBLED))}) - {""}


def token_sorted_names(name: str) -> frozenset[str]:
    """The words of a person's name, sorted: Musk, Elon equals Elon Musk. A single word is not a full name."""
    sorted_words = (sorted(words.split()) for words in transliterated_names(name))
    return frozenset(" ".join(words) for words in sorted_words if len(words) > 1)


@lru_cache(_CACHED)
def legal_forms_of(name: str) -> frozenset[str]:
    """The legal forms that a name ends or begins with."""
    return _strip_legal_forms(_folded_name(name))[1]


@lru_cache(_CACHED)
def is_possible_person(name: str) -> bool:
    """True if a name could be a person's: several words, no legal form, figure or typical company word."""
    words = _folded_name(name).split()
    if len(words) <= 1 or not all(word.isalpha() for word in words):
        return False
    return not legal_forms_of(name) and (_COMMON | _AND).isdisjoint(words) and "&" not in name


@lru_cache(_CACHED)
def holder_core_names(name: str) -> frozenset[str]:
    """The name without its legal form, in each transliteration; empty if the rest is not distinctive."""
    found = (_strip_legal_forms(words)[0] for words in transliterated_names(name))
    return frozenset(core for core in found if _is_distinctive(core))


def has_compatible_forms(forms: frozenset[str], others: frozenset[str]) -> bool:
    """True if two names may be of one company: the legal forms of one are a subset of the other's."""
    return forms <= others or others <= forms


def name_similarity(name: str, other: str) -> float:
    """Similarity of the cores of two names, 0 to 100; 0 if they differ by more than typos."""
    pairs = ((one, two) for one in holder_core_names(name) for two in holder_core_names(other))
    return max((_core_similarity(one, two) for one, two in pairs), default=0.0)


@lru_cache(_CACHED)
def blocking_keys(name: str) -> frozenset[str]:
    """Blocking keys for fuzzy matching: the distinctive words, or the beginning of the only word."""
    found: set[str] = set()
    for core in holder_core_names(name):
        words = core.split()
        own = set(words) - _COMMON
        found |= own if len(words) > 1 else {f"^{core[:3]}"}
    return frozenset(found)


@lru_cache(_CACHED)
def consonant_key(name: str) -> frozenset[str]:
    """Blocking keys for all match rules: words without their vowels, and the first letter of the first word.

    Transliterations differ in vowels. Legal forms and common words are used only if nothing else is left.
    """
    words = _folded_name(name).split()
    own = [word for word in words if word not in _COMMON and (word,) not in _SPELLINGS] or words
    begins = {f"^{word[0].translate(_VOWEL)}" for word in own[:1]}
    return frozenset(begins | {_consonants_of(word) for word in own})


def _consonants_of(word: str) -> str:
    return word.translate(_VOWELS) or "~"


def _core_similarity(core: str, other: str) -> float:
    one, two = sorted(core.split()), sorted(other.split())
    if len(one) != len(two) or _distinguishing_words(one) != _distinguishing_words(two):
        return 0.0
    if not all(_is_typo(*pair) for pair in zip(one, two, strict=True)):
        return 0.0
    return fuzz.token_sort_ratio(core, other)


def _is_typo(word: str, other: str) -> bool:
    """True if two words are equal but for a typo: øst and vest are two words, northern and southern too."""
    if word == other:
        return True
    return min(len(word), len(other)) >= _SHORT and OSA.distance(word, other, score_cutoff=_SLIP) <= _SLIP


def _distinguishing_words(words: list[str]) -> list[str]:
    """Words that distinguish funds and classes of one family: digits, Roman numerals, single letters."""
    return [word for word in words if word in _NUMERALS or len(word) == 1 or not word.isalpha()]


def _is_distinctive(core: str) -> bool:
    return len(core.replace(" ", "")) >= _SHORT and not set(core.split()) <= _COMMON


def _strip_legal_forms(name: str) -> tuple[str, frozenset[str]]:
    """A folded name without its legal forms, and those forms; the last word is never removed."""
    words = ["&" if word in _AND else word for word in name.split()]
    found: set[str] = set()
    if words[:1] == ["the"] and len(words) > 1:
        words = words[1:]
    while (form := _trailing_form(words)) is not None:
        found.add(_SPELLINGS[form])
        words = words[: -len(form)]
    while len(words) > 1 and (form := _SPELLINGS.get((words[0],))) in _IN_FRONT:
        found.add(str(form))
        words = words[1:]
    return " ".join(word for word in words if word != "&"), frozenset(found)


def _trailing_form(words: list[str]) -> tuple[str, ...] | None:
    """The longest legal form at the end that leaves a word."""
    lengths = range(_SUFFIX + 1, 0, -1)
    ends = (tuple(words[-length:]) for length in lengths if len(words) > length)
    return next((end for end in ends if end in _SPELLINGS), None)


def closest_pairs(
    groups: Sequence[Group], may_pair: Callable[[Group, Group], bool]
) -> Iterator[tuple[Group, Group, float]]:
    """Pairs of groups that are each other's only close match, with scores; `may_pair`: whether they may be joined."""
    scores: dict[int, dict[int, float]] = defaultdict(dict)
    for one, other in sorted(_candidate_pairs(groups)):
        score = _group_similarity(groups[one], groups[other])
        if score >= CLOSE - _APART:
            scores[one][other] = scores[other][one] = score
    for one in sorted(scores):
        other = _best_match(scores[one])
        if (
            other is not None
            and one < other
            and _best_match(scores[other]) == one
            and may_pair(groups[one], groups[other])
        ):
            yield groups[one], groups[other], scores[one][other]


def _candidate_pairs(groups: Sequence[Group]) -> set[tuple[int, int]]:
    blocks: dict[str, list[int]] = defaultdict(list)
    for place, group in enumerate(groups):
        for block in {block for name in names_of(group) for block in blocking_keys(name)}:
            blocks[block].append(place)
    crowded = (places for places in blocks.values() if len(places) <= _CROWD)
    return {
        (one, other)
        for places in crowded
        for at, one in enumerate(places)
        for other in places[at + 1 :]
        if register_codes(groups[one]) != register_codes(groups[other])
    }


def _best_match(scores: Mapping[int, float]) -> int | None:
    """The closest group, if it is close enough and well ahead of the next."""
    ordered = sorted(scores.items(), key=lambda told: (-told[1], told[0]))
    place, score = ordered[0]
    next_score = ordered[1][1] if len(ordered) > 1 else 0.0
    return place if score >= CLOSE and score - next_score >= _APART else None


def _group_similarity(group: Group, other: Group) -> float:
    return max((name_similarity(one, two) for one in names_of(group) for two in names_of(other)), default=0.0)


def names_of(group: Group) -> set[str]:
    """The names of a group's records."""
    return {record["holder_name"] for record in group} - {None}


def register_codes(records: Iterable[Record]) -> set[str]:
    """The registers of some records."""
    return {record["register"] for record in records}
