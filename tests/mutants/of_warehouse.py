"""Breaks of what is stored and read: days and instants, keys of pages, numbers of events, what a rebuild gives."""

from typing import Final

from tests.mutants.mutant import Mutant

WAREHOUSE: Final = (
    Mutant(
        "as-of: on the day a holding ended it is still held",
        "warehouse/reader/queries/owners.py",
        "if since and since <= day.encode() and (not until or until > day.encode()):",
        "if since and since <= day.encode() and (not until or until >= day.encode()):",
        "tests/warehouse/reader/test_reader_reader.py::test_owners_on_a_day",
    ),
    Mutant(
        "as-of: history says what was known before it was learned",
        "warehouse/history/history.py",
        'f"SELECT * FROM ({everything}) WHERE known_from <= $1 AND (known_to IS NULL OR known_to > $1)",',
        'f"SELECT * FROM ({everything}) WHERE known_to IS NULL OR known_to > $1",',
        "tests/warehouse/history/test_history_history.py::test_a_late_image_fills_and_was_not_known_before",
    ),
    Mutant(
        "history: a late edition was known before it came",
        "warehouse/history/scd2.py",
        'SELECT {quoted_columns(table.names, "i.")}, greatest($1::TIMESTAMPTZ, e.moment) AS known_from,',
        'SELECT {quoted_columns(table.names, "i.")}, $1::TIMESTAMPTZ AS known_from,',
        "tests/warehouse/history/test_history_history.py::test_what_an_earlier_instant_replaces_was_never_known",
    ),
    Mutant(
        "history: how we learned something is a change of it",
        "warehouse/history/scd2.py",
        "values = table.business",
        "values = table.names",
        "tests/warehouse/history/test_history_history.py::test_columns_that_say_how_we_learned_it_change_nothing",
    ),
    Mutant(
        "history: an empty list is as good as none",
        "warehouse/history/scd2.py",
        'return f"i.{name} IS DISTINCT FROM o.{name}"',
        'return f"hash(i.{name}) <> hash(o.{name})"',
        "tests/warehouse/history/test_history_history.py::test_merge_an_empty_list_that_becomes_unknown_is_a_change",
    ),
    Mutant(
        "history: a day before an unknown start has two rows",
        "warehouse/history/scd2.py",
        'WHERE f.{start} IS NULL OR v.valid_to > f.{start}"""',
        'WHERE v.valid_to > f.{start}"""',
        "tests/warehouse/history/test_history_history.py::test_merge_a_row_without_a_start_leaves_no_day_two_rows",
    ),
    Mutant(
        "history: a new code of a list asks for a rebuild",
        "warehouse/schema_render.py",
        "columns = [(column.name, str(column.kind), column.business) for column in table.columns]",
        "columns = [(column.name, str(column.kind), column.business, column.allowed) for column in table.columns]",
        "tests/warehouse/test_schema_render.py::test_fingerprint_of_what_is_not_stored_is_the_same",
    ),
    Mutant(
        "known_pct: shares add up to more than all",
        "warehouse/reader/queries/owners.py",
        "return cut, _percent_text(min(sum(known), 100 * _UNITS)) if known else None",
        "return cut, _percent_text(sum(known)) if known else None",
        "tests/warehouse/reader/test_reader_reader.py::test_owners_on_a_day",
    ),
    Mutant(
        "keyset: companies that tie on what is sorted by are lost between two pages",
        "warehouse/reader/queries/filters.py",
        'self.add(f"{order.head} {order.comparison_operator} {head} OR ({order.head} = {head} AND ({beyond})) {unknown}")',
        'self.add(f"{order.head} {order.comparison_operator} {head} {unknown}")',
        "tests/warehouse/test_search_oracle.py::test_every_filter_and_order[2-few answer]",
    ),
    Mutant(
        "keyset: companies whose value nobody knows are on no page",
        "warehouse/reader/queries/filters.py",
        'unknown = f"OR {order.head} IS NULL" if type(None) in order.kinds else ""',
        'unknown = ""',
        "tests/warehouse/test_search_oracle.py::test_every_filter_and_order[2-many answer]",
    ),
    Mutant(
        "cursor: events of a company begin one too early",
        "warehouse/reader/queries/events.py",
        "tests.append(f\"sequence {'<' if query.is_descending else '>'} CAST(? AS INTEGER)\")",
        "tests.append(f\"sequence {'<=' if query.is_descending else '>='} CAST(? AS INTEGER)\")",
        "tests/warehouse/reader/test_reader_reader.py::test_events_in_both_directions",
    ),
    Mutant(
        "ledger: numbers begin at nought",
        "warehouse/ledger/ledger.py",
        "first = entries[-1].last + 1 if entries else 1",
        "first = entries[-1].last + 1 if entries else 0",
        "tests/warehouse/ledger/test_ledger_ledger.py::test_events_are_numbered_by_when_they_occurred",
    ),
    Mutant(
        "ledger: transitions are numbered by the dates of registers",
        "warehouse/schema/tables.py",
        'sort=("known_at", "occurred_at", "event_id"),  # so that the newest known state comes last',
        'sort=("occurred_at", "event_id"),',
        "tests/warehouse/ledger/test_ledger_ledger.py"
        "::test_events_are_numbered_by_when_they_became_known_before_when_they_occurred",
    ),
    Mutant(
        "history: an outbox of before has no column for what is added",
        "warehouse/history/database.py",
        '"ALTER TABLE outbox ADD COLUMN IF NOT EXISTS known_at TIMESTAMPTZ",  # of files made before it was declared',
        '"ALTER TABLE outbox ADD COLUMN IF NOT EXISTS other TIMESTAMPTZ",',
        "tests/warehouse/history/test_history_history.py"
        "::test_outbox_of_an_earlier_edition_keeps_its_events_before_those_since",
    ),
    Mutant(
        "ledger: an event that is known is told again",
        "warehouse/ledger/ledger.py",
        'fresh = fresh.filter(~pl.col("event_id").is_in(self.known(fresh["event_id"]).to_list()))',
        'fresh = fresh.sort("event_id")',
        "tests/warehouse/ledger/test_ledger_ledger.py::test_a_known_event_is_not_numbered_again",
    ),
    Mutant(
        "archive: the same bytes again are a new edition",
        "warehouse/raw/archive.py",
        'fresh = before is None or before["sha256"] != stored.sha256',
        "fresh = True",
        "tests/warehouse/raw/test_raw_archive.py::test_the_same_bytes_are_a_line_and_no_piece",
    ),
    Mutant(
        "history: the high-water mark falls with a late edition",
        "warehouse/history/history.py",
        '"UPDATE datasets SET high_water = greatest(high_water, $2) WHERE dataset = $1", [dataset, instant]',
        '"UPDATE datasets SET high_water = $2 WHERE dataset = $1", [dataset, instant]',
        "tests/warehouse/history/test_history_history.py::test_how_far_a_dataset_has_come",
    ),
    Mutant(
        "markets: a folder that the list does not name is served",
        "warehouse/schema/markets.py",
        "if len(set(listed)) != len(listed) or set(listed) != declared:",
        "if len(set(listed)) != len(listed):",
        "tests/warehouse/schema/test_schema_markets.py::test_read_markets_list_that_differs_from_folders_is_refused",
    ),
    Mutant(
        "numbers: a padded number counts whatever its check digit",
        "warehouse/schema/markets.py",
        'return len(text) > self.length and len(_NO_DIGIT.sub("", text)) > self.length',
        "return False",
        "tests/architecture/test_identifiers.py::test_refused_forms",
    ),
    Mutant(
        "erasure: a member that events have since lately stays in them",
        "warehouse/erasure/event_redaction.py",
        "return {name: member if name in kept else _NOT_NULL.get((part, name)) for name, member in value.items()}",
        "return {name: _NOT_NULL.get((part, name), member) for name, member in value.items()}",
        "tests/warehouse/erasure/test_event_redaction.py::test_redact_event_with_members_added_later_erases_them",
    ),
    Mutant(
        "erasure: a lifted tombstone keeps records out",
        "warehouse/erasure/tombstones.py",
        "return tuple(stone for stone in self.all_tombstones(market) if stone.lifted_at is None)",
        "return self.all_tombstones(market)",
        "tests/warehouse/erasure/test_tombstones.py::test_lifted_tombstone_is_stored_and_not_in_force",
    ),
    Mutant(
        "erasure: what an earlier version left of a subject stays",
        "warehouse/erasure/tombstones.py",
        "return stone.lifted_at is None and stone.rules != rules and market in (None, stone.market)",
        "return False",
        "tests/warehouse/erasure/test_tombstones.py::test_tombstone_of_other_rules_is_erased_again_once",
    ),
    Mutant(
        "erasure: a copy of the decisions brings an erased reason back",
        "warehouse/decisions.py",
        "return erased[0] if erased and is_same else None",
        "return one if erased and is_same else None",
        "tests/warehouse/test_decisions.py::test_merge_of_two_copies_keeps_what_one_of_them_has_erased",
    ),
    Mutant(
        "order: an older full snapshot ends the quarantine of newer data",
        "warehouse/staged/store.py",
        "return full is not None and newest is not None and newest <= full",
        "return full is not None",
        "tests/pipelines/steps/test_lookups.py"
        "::test_late_arriving_full_snapshot_supersedes_nothing_newer_in_look_ups_and_quarantine",
    ),
)
