"""Identity numbers and birth dates in texts: masked at the door, and nothing else (docs/architecture.md 14)."""

import io
import json

from connectors.no import identity_numbers
from connectors.no.newsweb.redact import redact
from tests.tables import check_cases


def test_identity_numbers_are_masked_at_the_door_and_other_numbers_are_not() -> None:
    text = b'{"body":"Kari (010170 07714?) 01017000027, 12345678901 shares, org. 981953134"}'
    kept = identity_numbers.mask_identity_numbers(text)
    number = b"01010750160"  # a synthetic one whose check digits hold
    assert identity_numbers.mask_identity_numbers(b"x " + number + b" y") == b"x *********** y"
    assert identity_numbers.mask_identity_numbers(b"x 010107 50160 y") == b"x *********** y"
    assert b"12345678901" in kept
    assert b"981953134" in kept


@check_cases(
    "text",
    [
        "Ola, born 01.01.1970",
        "Ola\nf. 1/1/1970",
        "Ola født: 1. januar 1970",
        "Ola, Date of Birth: January 1, 1970",
        "Ola, born on 1970-01-01",
        "Ola, født 010170",
        "Ola, born in 1970",
    ],
)
def test_birth_dates_are_masked_at_the_door(text: str) -> None:
    for body in (json.dumps({"body": text}), json.dumps({"body": text}, ensure_ascii=False)):
        kept = identity_numbers.mask_identity_numbers(body.encode())
        assert b"**********" in kept
        assert b"70" not in kept
        assert json.loads(kept)["body"].startswith("Ola")


@check_cases("text", [b"jf. 01.01.2025", b"born global 2025", b"on 01.01.2025", b"reborn 2025", b"f. eks. 2025"])
def test_other_dates_stay(text: bytes) -> None:
    assert identity_numbers.mask_identity_numbers(text) == text


def test_a_digit_written_as_an_escape_hides_no_number() -> None:
    number = "".join(f"\\u003{digit}" for digit in "01010750160")  # synthetic, its check digits hold
    kept = redact(io.BytesIO(f'{{"body":"x {number} \\\\u0031 y"}}'.encode())).read()
    assert json.loads(kept) == {"body": "x *********** \\u0031 y"}
