"""Norwegian files (docs/formats/no.md 2 and 6).

Enhetsregisteret in bulk, Regnskapsregisteret per company and as a mass file. Everything is streamed company by
company. Does not belong here: the state of a company (`world`), single entities (`enheter`).
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final
from xml.sax.saxutils import escape

from sandbox.model.company import Accounts, Company, Figures
from sandbox.no import enheter, roller, underenheter
from sandbox.shared.files import open_file, write_file
from sandbox.world import World

COMPLETE: Final = ("no.enheter",)
_WINDOW: Final = 3  # the open API returns the three latest years
# (figure of a document, field code of the mass file): income statement and balance sheet (docs/formats/no.md
# 6.4)
_INCOME: Final = (("revenue", 72), ("operating_result", 146), ("net_result", 172))
_BALANCE: Final = (("short_creditors", 85), ("long_creditors", 86), ("total_assets", 219), ("equity", 250))
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FileFormats:
    """The register's formats that a day is written in.

    bulk: csv, csv.gz or json.gz. csv_layout: CSV columns, present or 2024. accounts: json (one response per
    company), xml (one mass file), both or none; a million json responses are a million files.
    """

    bulk: str = "csv"
    csv_layout: str = "present"
    accounts: tuple[str, ...] = ("json",)


def write_day(world: World, day: int, folder: Path, formats: FileFormats | None = None) -> None:
    """All Norwegian files of one day below `folder`."""
    formats = formats or FileFormats()
    _write_bulk(world, day, folder, formats)
    if "json" in formats.accounts:
        for company in world.filers("NO", day):
            write_file(folder / "regnskap" / f"regnskap-{company.number}.json", accounts_body(company))
    _write_roles(world, day, folder / "roller")
    if "xml" in formats.accounts:
        name = f"{world.date(day):%Y%m%d}033000-masse-2.xml"
        with open_file(folder / "regnskap_masse_xml" / name) as file:
            file.writelines(mass_chunks(world, day))


def _write_roles(world: World, day: int, folder: Path) -> None:
    """All roles on the first day, afterwards responses for companies with changed owners."""
    if day == 0:
        with open_file(folder / "roller_alle.json") as file:
            file.writelines(roller.role_file_chunks(world, day))
        return
    for company in world.changing("NO", day):
        body = roller.roles_body(company) if company.norwegian.owners else None
        if body is not None:
            write_file(folder / f"roller-{company.number}.json", body)


def _write_bulk(world: World, day: int, folder: Path, formats: FileFormats) -> None:
    kind, _, packed = formats.bulk.partition(".")
    name = f"enheter_alle.{formats.bulk}"
    chunks = json_chunks(world, day) if kind == "json" else csv_chunks(world, day, formats.csv_layout)
    with open_file(folder / f"enheter_bulk_{kind}" / name) as file:
        if packed:
            write_gzip(file, name, chunks)
        else:
            file.writelines(chunks)


def write_gzip(file: IO[bytes], name: str, chunks: Iterable[bytes]) -> None:
    """Writes a gzip file without a time stamp: the same world gives the same bytes."""
    with gzip.GzipFile(name, "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
        packed.writelines(chunks)


class _LineCapture:
    """Receives the csv module's output one line at a time."""

    def __init__(self) -> None:
        self.line = ""

    def write(self, line: str) -> int:
        self.line = line
        return len(line)


def csv_chunks(world: World, day: int, csv_layout: str = "present") -> Iterator[bytes]:
    """The bulk CSV, line by line: every value quoted; the 2024 columns have an unquoted header."""
    columns = enheter.COLUMNS if csv_layout == "present" else enheter.COLUMNS_2024
    header = columns if csv_layout != "present" else [f'"{column}"' for column in columns]
    yield (",".join(header) + "\n").encode()
    yield from _quoted_lines(world, day, columns, enheter.entity_record)


def sub_unit_chunks(world: World, day: int) -> Iterator[bytes]:
    """The bulk CSV of living sub-units."""
    columns = underenheter.COLUMNS
    yield (",".join(f'"{column}"' for column in columns) + "\n").encode()
    yield from _quoted_lines(world, day, columns, underenheter.csv_record)


def _quoted_lines(
    world: World, day: int, columns: tuple[str, ...], record_of: Callable[[Company], Record]
) -> Iterator[bytes]:
    target = _LineCapture()
    writer = csv.writer(target, quoting=csv.QUOTE_ALL, lineterminator="\n")
    for company in world.all("NO", day):
        if company.is_in_register:
            writer.writerow(enheter.csv_row(record_of(company), columns))
            yield target.line.encode()


def json_chunks(world: World, day: int) -> Iterator[bytes]:
    """The bulk JSON: one array."""
    separator = b"[ "
    for company in world.all("NO", day):
        if company.is_in_register:
            body = json.dumps(enheter.bulk_element(company), ensure_ascii=False, separators=(",", ":"))
            yield separator + body.encode()
            separator = b", "
    yield b"]"


def accounts_body(company: Company) -> bytes:
    """The response of `/regnskap/{orgnr}`: six-row shape, or one short row as before October 2026."""
    return json.dumps(accounts_rows(company), ensure_ascii=False, indent=2).encode()


def accounts_rows(company: Company) -> list[Record]:
    """KONSERN rows first, each type oldest first; one SELSKAP row in the older shape."""
    years = company.current_accounts()
    if not company.extended:
        return [_accounts_row(company, years[-1], years[-1].figures, "SELSKAP")]
    latest = years[-_WINDOW:]
    group = [_accounts_row(company, item, item.group, "KONSERN") for item in latest if item.group is not None]
    return [*group, *(_accounts_row(company, item, item.figures, "SELSKAP") for item in latest)]


def _accounts_row(company: Company, accounts: Accounts, figures: Figures, kind: str) -> Record:
    consolidated = kind == "KONSERN"
    rules = "IFRS" if consolidated and accounts.document_style == "ifrs" else "regnskapslovenAlminneligRegler"
    write = _AmountFormat(company)
    return {
        "id": row_id(accounts, kind),
        "journalnr": str(accounts.document),
        "regnskapstype": kind,
        "virksomhet": {
            "organisasjonsnummer": company.number,
            "organisasjonsform": company.form,
            "morselskap": any(item.group for item in company.accounts),
        },
        "regnskapsperiode": {"fraDato": accounts.start.isoformat(), "tilDato": accounts.end.isoformat()},
        "valuta": accounts.currency,
        "avviklingsregnskap": False,
        "oppstillingsplan": "store",
        "revisjon": {"ikkeRevidertAarsregnskap": False, "fravalgRevisjon": not consolidated},
        "regnkapsprinsipper": {"smaaForetak": not consolidated, "regnskapsregler": rules},
        "egenkapitalGjeld": _liabilities_object(figures, write),
        "eiendeler": _assets_object(figures, write, extended=company.extended),
        "resultatregnskapResultat": _income_object(figures, write, extended=company.extended),
    }


def row_id(accounts: Accounts, kind: str) -> int:
    """The API's row id: a correction has a higher one."""
    return (accounts.document - 2_000_000_000) * 2 + (kind == "KONSERN")


class _AmountFormat:
    """Formats amounts as integers or with a decimal: both occur and mean the same."""

    def __init__(self, company: Company) -> None:
        plain = not company.extended
        self.plain = plain != any(accounts.is_rounded_to_thousands for accounts in company.new_accounts)

    def __call__(self, amount: int) -> int | float:
        return amount if self.plain else float(amount)

    def post(self, name: str, amount: int | None) -> Record:
        """One item; a missing one is an empty object."""
        return {} if amount is None else {name: self(amount)}


def _liabilities_object(figures: Figures, write: _AmountFormat) -> Record:
    paid_in = 30_000
    return {
        "sumEgenkapitalGjeld": write(figures.total_assets),
        "egenkapital": {
            "sumEgenkapital": write(figures.equity),
            "opptjentEgenkapital": {"sumOpptjentEgenkapital": write(figures.equity - paid_in)},
            "innskuttEgenkapital": {"sumInnskuttEgenkaptial": write(paid_in)},
        },
        "gjeldOversikt": {
            "sumGjeld": write(figures.short_creditors + figures.long_creditors),
            "kortsiktigGjeld": {"sumKortsiktigGjeld": write(figures.short_creditors)},
            "langsiktigGjeld": write.post("sumLangsiktigGjeld", figures.long_creditors or None),
        },
    }


def _assets_object(figures: Figures, write: _AmountFormat, *, extended: bool) -> Record:
    current = figures.total_assets - figures.fixed_assets
    parts = (
        {"sumFordringer": write(current // 3), "sumBankinnskuddOgKontanter": write(current // 4)} if extended else {}
    )
    return {
        **parts,
        "sumEiendeler": write(figures.total_assets),
        "omloepsmidler": {"sumOmloepsmidler": write(current)},
        "anleggsmidler": write.post("sumAnleggsmidler", figures.fixed_assets or None),
    }


def _income_object(figures: Figures, write: _AmountFormat, *, extended: bool) -> Record:
    operating, net = figures.operating_result or 0, figures.net_result or 0
    sales = {"salgsinntekter": write(figures.revenue * 9 // 10)} if extended and figures.revenue else {}
    tax = {"ordinaertResultatSkattekostnad": write(operating - net)} if extended else {}
    return {
        "ordinaertResultatFoerSkattekostnad": write(operating),
        **tax,
        "aarsresultat": write(net),
        "finansresultat": {
            "nettoFinans": write(0),
            "finansinntekt": {"sumFinansinntekter": write(0)},
            "finanskostnad": {"sumFinanskostnad": write(0)},
        },
        "driftsresultat": {
            "driftsresultat": write(operating),
            "driftsinntekter": {**sales, **write.post("sumDriftsinntekter", figures.revenue)},
            "driftskostnad": write.post(
                "sumDriftskostnad", None if figures.revenue is None else figures.revenue - operating
            ),
        },
    }


def mass_chunks(world: World, day: int) -> Iterator[bytes]:
    """The subscription's mass file: two parts per document, ISO-8859-1 (docs/formats/no.md 6.4)."""
    filings = list(world.published_accounts("NO", day))
    parts = sum(4 if accounts.group else 2 for _, accounts in filings)
    yield b'<?xml version="1.0" encoding="ISO-8859-1"?>\n\n<deler>\n'
    yield f"  <ant_poster>{parts}</ant_poster>\n".encode("latin-1")
    for company, accounts in filings:
        for kind, figures in (("S", accounts.figures), ("K", accounts.group)):
            if figures is not None:
                yield _mass_part(company, accounts, figures, kind, "RES", _INCOME)
                yield _mass_part(company, accounts, figures, kind, "BAL", _BALANCE)
    yield b"</deler>\n"


def _mass_part(
    company: Company, accounts: Accounts, figures: Figures, kind: str, part: str, posts: tuple[tuple[str, int], ...]
) -> bytes:
    head = {
        "orgnr": company.number, "regnskapstype": kind, "regnaar": accounts.end.year,
        "aarsregnskapstype": "STORE",
        "oppstillingsplan_versjonsnr": 12, "valutakode": accounts.currency, "regnskap_dokumenttype": part,
        "startdato": f"{accounts.start:%Y%m%d}", "avslutningsdato": f"{accounts.end:%Y%m%d}",
        "mottakstype": "EMOT",
        "avviklingsregnskap": "N", "feilvaloer": "N", "journalnr": accounts.document,
        "mottatt_dato": f"{accounts.published:%Y%m%d}", "orgform": company.form,
        "mor_i_konsern": "J" if accounts.group else "N", "regler_smaa": "N" if accounts.group else "J",
        "fleksible_poster": "J", "fravalg_revisjon": "N", "utarbeidet_regnskapsforer": "N",
        "bistand_regnskapsforer": "N",
    }  # fmt: skip
    lines = ["  <del>", "    <hode>"]
    lines += [f"      <{name}>{escape(str(value))}</{name}>" for name, value in head.items()]
    lines.append("    </hode>")
    for name, code in posts:
        amount = getattr(figures, name)
        if amount is not None:
            lines += [
                "    <info>", f"      <feltkode>{code}</feltkode>", f"      <sum>{amount}.00</sum>",
                '      <post posttype="standard" nr="1">', f"        <tall>{amount}.00</tall>",
                "      </post>",
                "    </info>",
            ]  # fmt: skip
    return ("\n".join([*lines, "  </del>"]) + "\n").encode("latin-1")
