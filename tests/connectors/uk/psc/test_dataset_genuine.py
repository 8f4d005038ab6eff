"""The genuine PSC files: every record is a row, and maps to what it says."""

import json
import re

from connectors.contract.dataset import NotApplicable
from connectors.uk.psc import dataset as psc_dataset

DATA = psc_dataset.DATASET
LINES = "psc-snapshot-2026-11-01_1of2.txt"
WHOLE = "persons-with-significant-control-snapshot-2026-11-01.txt"
INDIVIDUAL = "individual-person-with-significant-control"
CORPORATE = "corporate-entity-person-with-significant-control"
SHARES = "ownership-of-shares-25-to-50-percent"


def genuine(sources):
    for pattern in DATA.file_patterns:
        for file in sorted((sources / "uk").glob(pattern)):
            if file.is_file():
                yield str(file.relative_to(sources / "uk")), file.read_bytes()


def records_in(body):
    """How many records a file holds, counted without the connector."""
    try:
        whole = [json.loads(body)]
    except ValueError:
        whole = [json.loads(line) for line in body.splitlines() if line.strip()]
    return sum(len(item["items"]) if "items" in item else 1 for item in whole)


def test_every_genuine_record_is_a_staged_row(bench, sources):
    read_files = []
    for name, body in genuine(sources):
        found = DATA.recognise_file(name, body[: 1 << 16])
        if isinstance(found, NotApplicable):
            assert not re.search(r"persons|psc_", name.replace("rest_api/swagger/", "")), name
            continue
        read = bench.read(DATA, body, name)
        assert read.rejects == [], name
        assert sum(map(len, read.rows.values())) == records_in(body), name
        assert not read.signalled("unknown_key"), name
        read_files.append(name)
    assert len(read_files) >= 20


def test_genuine_streams_map_to_the_records_they_hold(bench, sources):
    body = (sources / "uk" / "streaming" / "persons-with-significant-control.jsonl").read_bytes()
    bench.upsert(DATA, body, "persons-with-significant-control.jsonl")
    newest = {}
    for line in body.splitlines():
        item = json.loads(line)
        newest[item["resource_uri"]] = item["data"]
    holdings = bench.normalise()["holdings"]
    assert len(holdings) == len(newest)
    for row in holdings.iter_rows(named=True):
        number = row["company_id"].removeprefix("firm:UK:")
        data = next(
            item for uri, item in newest.items() if uri.split("/")[2] == number and uri.endswith(row["native_id"])
        )
        shares = [code for code in data["natures_of_control"] if code.startswith("ownership-of-shares")]
        assert row["holder_name"] == data["name"]
        assert (row["pct_min"] is not None) == bool(shares)
        assert (row["ended_on"] is not None) == ("ceased_on" in data)
