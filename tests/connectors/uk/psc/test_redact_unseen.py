"""Private facts under keys that the registry has not announced do not reach RAW either."""

import io
import json

from connectors.uk.psc.redact import redact
from tests.tables import check_cases

SECRET = "Secret Road 1981"


def redacted(*records):
    body = b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records)
    return [json.loads(line) for line in redact(io.BytesIO(body)).read().splitlines()]


@check_cases(
    ("key", "value"),
    [
        ("residential_address", {"address_line_1": SECRET}),
        ("llp_usual_residential_address", {"address_line_1": SECRET}),
        ("correspondence_addresses", [{"address_line_1": SECRET}]),
        ("Date_Of_Birth", {"year": 1981}),
        ("birth_date", SECRET),
        ("year_of_birth", 1981),
    ],
)
def test_what_sounds_like_an_address_or_a_birth_leaves(make, key, value):
    record = make.record(**{key: value})
    plain = make.record(identity="other")
    assert redacted(record, plain) == [make.record(), plain]


def test_flags_and_names_about_addresses_stay(make):
    record = make.record(
        service_address_is_same_as_registered_office_address=True,
        residential_address_same_as_service_address=False,
        name="Address & Birth Limited",
    )
    assert redacted(record) == [record]
