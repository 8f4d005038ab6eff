"""Names as others write them, planted beside near-namesakes: how often a probable match is right, how many are found.

The register holds every second company of a sandbox world. What is asked: the names of its companies in spellings that
mean the same company, and names that are nobody's there: of the companies left out, and look-alikes of those that are in.
"""

import random
import string
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

import pytest

from name_matching.legal_forms import FORMS, SPELLINGS
from sandbox.world import World
from warehouse.reader.reader import ReleaseReader
from warehouse.reader.types import NameQuestion
from warehouse.schema.identifiers import company_id

PER_MARKET: Final = 60
PRECISION: Final = 0.99
RECALL: Final = 0.9
TRANSLITERATED: Final = str.maketrans({"å": "aa", "ä": "ae", "ö": "oe", "ø": "oe", "æ": "ae"})
FOLDED: Final = str.maketrans({"å": "a", "ä": "a", "ö": "o", "ø": "o", "é": "e"})
ABBREVIATED: Final = {"international": "Intl.", "services": "Svcs", "holdings": "Hldgs", "brothers": "Bros."}
CONJUNCTIONS: Final = {"SE": "och", "NO": "og", "FI": "ja", "UK": "and", "US": "and"}


def split_form(name: str, market: str) -> tuple[str, str]:
    """The name without the form at its end, and the form as written; empty where there is none."""
    words = name.removesuffix(" (publ)").split()
    for length in (3, 2, 1):
        tail = " ".join(words[-length:])
        if len(words) > length and tail.casefold().replace(".", "").replace("/", "") in FORMS[market]:
            return " ".join(words[:-length]).rstrip(","), tail
    return name, ""


def without_form(name: str, market: str) -> str:
    return split_form(name, market)[0]


def other_form_spelling(name: str, market: str) -> str:
    rest, form = split_form(name, market)
    plain = form.casefold().replace(".", "").replace("/", "")
    spelled = SPELLINGS.get(FORMS[market].get(plain, ""), ())
    return f"{rest} {next((one for one in spelled if one != plain), form)}".strip()


def with_and(name: str, market: str) -> str:
    return name.replace(" & ", f" {CONJUNCTIONS[market]} ")


def abbreviated(name: str, market: str) -> str:
    del market
    return " ".join(ABBREVIATED.get(word.casefold(), word) for word in name.split())


SPELLINGS_OF_SAME: Final[dict[str, Callable[[str, str], str]]] = {
    "as registered": lambda name, _: name,
    "capitals": lambda name, _: name.upper(),
    "small letters": lambda name, _: name.lower(),
    "form left out": without_form,
    "form spelled otherwise": other_form_spelling,
    "transliterated": lambda name, _: name.lower().translate(TRANSLITERATED),
    "without dots over letters": lambda name, _: name.lower().translate(FOLDED),
    "punctuated": lambda name, _: name.replace(" ", "  ").replace("-", " ") + ".",
    "and in words": with_and,
    "abbreviated": abbreviated,
}


def changed_letter(name: str, market: str, chance: random.Random) -> str:
    rest, form = split_form(name, market)
    places = [place for place, sign in enumerate(rest) if sign.isalpha()]
    place = chance.choice(places)
    letter = chance.choice([one for one in string.ascii_lowercase if one not in rest[place].lower().translate(FOLDED)])
    return f"{rest[:place]}{letter}{rest[place + 1 :]} {form}".strip()


def changed_word(name: str, market: str, chance: random.Random) -> str:
    words = split_form(name, market)[0].split()
    words[chance.randrange(len(words))] = chance.choice(("Vestra", "Kompass", "Ullevi", "Quay"))
    return " ".join(words)


def added_word(name: str, market: str, chance: random.Random) -> str:
    rest, form = split_form(name, market)
    return f"{rest} {chance.choice(('Nord', '2', 'Fastigheter', 'Group'))} {form}".strip()


def removed_word(name: str, market: str, chance: random.Random) -> str:
    del chance
    rest, form = split_form(name, market)
    return f"{' '.join(rest.split()[:-1])} {form}".strip()


LOOK_ALIKES: Final = (changed_letter, changed_word, added_word, removed_word)


@pytest.fixture(scope="module")
def planted(new_world) -> tuple[ReleaseReader, dict[str, tuple[str, str]], list[tuple[str, str]]]:
    """A release of half of the companies; their names and markets by id; names and markets of the other half."""
    world, made = World(seed=11, companies=5 * 2 * PER_MARKET, days=2), new_world()
    there: dict[str, tuple[str, str]] = {}
    absent: list[tuple[str, str]] = []
    for market in world.markets:
        for place, company in enumerate(world.all(market, 0)):
            if place % 2:
                absent.append((company.name, market))
            else:
                there[company_id(market, company.number)] = (company.name, market)
    made.publish([made.company(one, name) for one, (name, _) in there.items()])
    return ReleaseReader(made.world.layout), there, absent


def questions(there: dict[str, tuple[str, str]], absent: list[tuple[str, str]]) -> Iterator[tuple[str, str, str, str]]:
    """Kind, name and market of each question, and the company that is due; empty: nobody."""
    chance = random.Random(5)
    names = {(name.casefold(), market) for name, market in there.values()}
    for company, (name, market) in there.items():
        for kind, spell in SPELLINGS_OF_SAME.items():
            yield kind, spell(name, market), market, company
        for change in LOOK_ALIKES:
            asked = change(name, market, chance)
            if (asked.casefold(), market) not in names:
                yield change.__name__, asked, market, ""
    for name, market in absent:
        if (name.casefold(), market) not in names:
            yield "absent", name, market, ""


def test_probable_matches_are_right_and_planted_names_are_found(planted):
    reader, there, absent = planted
    shared = Counter((without_form(name, market).casefold(), market) for name, market in there.values())
    right, wrong, asked, found, mistakes = 0, 0, Counter(), Counter(), []
    with reader.pin_release() as snapshot:
        for kind, name, market, due in questions(there, absent):
            match = snapshot.match_name(NameQuestion(name, market))
            right += bool(due) and match.company_id == due
            if match.company_id not in (None, due):
                wrong += 1
                mistakes.append((kind, name, match))
            registered = without_form(*there[due]).casefold() if due else ""
            if due and shared[registered, market] == 1:
                asked[kind] += 1
                found[kind] += match.company_id == due
    reader.close()
    precision, recall = right / (right + wrong), found.total() / asked.total()
    told = f"precision {precision:.4f} of {right + wrong}, recall {recall:.4f} of {asked.total()}"
    shares = {kind: round(found[kind] / asked[kind], 3) for kind in asked}
    assert precision >= PRECISION, (told, mistakes[:10])
    assert recall >= RECALL, (told, shares)
    assert min(shares.values()) >= RECALL, shares
