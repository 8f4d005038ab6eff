"""Breaks of reading: scales, signs, bands, units, cursors, what is refused and what is kept private."""

from typing import Final

from tests.mutants.mutant import Mutant

CONNECTORS: Final = (
    Mutant(
        "notices: of two figures of one thing one is published",
        "connectors/se/flagging_prose.py",
        "if len(heard.after) > 1:",
        "if len(heard.after) > 2:",
        "tests/connectors/se/test_se_flagging_texts.py::test_what_the_text_leaves_open_is_no_figure",
    ),
    Mutant(
        "notices: a holding in another company counts as one in the issuer",
        "connectors/se/flagging_mapping.py",
        'return about and not flagging_names.is_same(author, row["holder"])',
        'return not flagging_names.is_same(author, row["holder"])',
        "tests/connectors/se/test_se_flagging.py::test_a_holding_in_another_company_is_none_in_the_issuer",
    ),
    Mutant(
        "scale: a figure stated in thousands is divided by a thousand",
        "connectors/kit/ixbrl.py",
        "value = value.scaleb(power)",
        "value = value.scaleb(-power)",
        "tests/connectors/kit/test_ixbrl_reader.py::test_scale_sign_and_text",
    ),
    Mutant(
        "sign: a loss is read as a profit",
        "connectors/kit/ixbrl.py",
        "return -value if value else value",
        "return value",
        "tests/connectors/kit/test_ixbrl_reader.py::test_scale_sign_and_text",
    ),
    Mutant(
        "kronor: of the same amount in thousands and in kronor the thousands count",
        "connectors/kit/facts.py",
        "return -EXACT if fact.decimals is None else fact.decimals",
        "return -EXACT if fact.decimals is None else -fact.decimals",
        "tests/connectors/se/test_se_reports_figures.py::test_pitfall_5_of_thousands_and_kronor_the_kronor_count",
    ),
    Mutant(
        "thousands: a 13F of the very day on which dollars came is taken for thousands",
        "connectors/us/form13f_xml.py",
        "factor = Decimal(1) if filed_on >= DOLLARS_SINCE else _THOUSAND",
        "factor = Decimal(1) if filed_on > DOLLARS_SINCE else _THOUSAND",
        "tests/connectors/us/test_us_form13f.py"
        "::test_pitfall_11_thousands_before_3_january_2023_and_dollars_since",
    ),
    Mutant(
        "bands: more than 25 percent ends at 75 percent",
        "connectors/uk/natures.py",
        '"upper": pl.coalesce(upper, pl.lit("100")).cast(PERCENT),',
        '"upper": pl.coalesce(upper, pl.lit("75")).cast(PERCENT),',
        "tests/connectors/uk/test_uk_psc_natures.py::test_bands_of_shares_and_votes",
    ),
    Mutant(
        "bands: what is held through a trust counts before what is one's own",
        "connectors/uk/natures.py",
        '"_natures", "right", "has_capacity", pl.col("lower"), descending=[False, False, False, True]',
        '"_natures", "right", "has_capacity", pl.col("lower"), descending=[False, False, True, True]',
        "tests/connectors/uk/test_uk_psc_natures.py::test_a_band_in_ones_own_right_counts_before_one_through_a_trust",
    ),
    Mutant(
        "decimals: a share is rounded up, over a threshold",
        "connectors/no/aksjonaer_holdings.py",
        "units = (held.cast(pl.Int128) * _UNITS // of.cast(pl.Int128)).clip(upper_bound=_UNITS)",
        "units = (held.cast(pl.Int128) * _UNITS // of.cast(pl.Int128) + 1).clip(upper_bound=_UNITS)",
        "tests/connectors/no/test_no_aksjonaer.py::test_a_hair_below_a_threshold_stays_below",
    ),
    Mutant(
        "cursor: a feed goes on one entry too far",
        "connectors/no/oppdateringer_fetch.py",
        "page = self._from(reached + 1)  # inclusive: what comes next begins one further on",
        "page = self._from(reached + 2)",
        "tests/connectors/no/test_no_answers.py::test_pitfall_10_the_cursor_is_inclusive_and_ids_have_gaps",
    ),
    Mutant(
        "416: a place that a stream has forgotten is taken for an outage",
        "connectors/uk/streams_fetch.py",
        "if error.status != _TOO_OLD:",
        "if error.status == _TOO_OLD:",
        "tests/connectors/uk/test_uk_streams_http.py"
        "::test_416_enters_the_stream_where_it_is_and_says_that_events_are_missing",
    ),
    Mutant(
        "cursor: a stream goes on from the first event of a body, not from its last",
        "connectors/uk/streams_fetch.py",
        "self.last = line.timepoint if self.last is None else max(self.last, line.timepoint)",
        "self.last = line.timepoint if self.last is None else min(self.last, line.timepoint)",
        "tests/connectors/uk/test_uk_streams_http.py::test_a_heartbeat_ends_a_body_and_two_end_a_run",
    ),
    Mutant(
        "range: half of one edition is glued to half of another",
        "connectors/kit/http.py",
        'more = {"Range": f"bytes={sink.size}-", "If-Range": sink.etag}',
        'more = {"Range": f"bytes={sink.size}-"}',
        "tests/connectors/kit/test_kit_http.py::test_a_cut_off_body_is_resumed_by_range",
    ),
    Mutant(
        "HTML under status 200 is believed",
        "connectors/kit/bodies.py",
        'if found is Format.TEXT and content_type.startswith("text/html") and Format.HTML not in expect:',
        'if found is Format.HTML and content_type.startswith("text/html") and Format.HTML not in expect:',
        "tests/connectors/kit/test_kit_http.py::test_html_content_type_where_text_was_due",
    ),
    Mutant(
        "secrets: a key follows a redirect to another host",
        "connectors/kit/exchange.py",
        "auth = None",
        "auth = asked.auth",
        "tests/connectors/kit/test_kit_http.py::test_a_redirect_to_another_host_goes_without_authorization",
    ),
    Mutant(
        "a bomb is unpacked",
        "connectors/kit/archives.py",
        "if entry.file_size > RATIO_FROM and entry.file_size > limits.ratio * entry.compress_size:",
        "if entry.file_size < RATIO_FROM and entry.file_size > limits.ratio * entry.compress_size:",
        "tests/connectors/kit/test_kit_archives.py::test_a_bomb_is_told_by_its_ratio",
    ),
    Mutant(
        "entities of a document are expanded",
        "connectors/kit/markup.py",
        "resolve_entities=False,",
        "resolve_entities=True,",
        "tests/connectors/kit/test_xbrl_instances.py::test_entities_are_neither_fetched_nor_expanded",
    ),
    Mutant(
        "privacy: dates of birth stay in the archive",
        "connectors/uk/psc_redact.py",
        '"date_of_birth",',
        '"date_of_death",',
        "tests/connectors/uk/test_uk_psc_redact.py::test_every_private_key_in_every_place_and_shape",
    ),
    Mutant(
        "check digits: any LEI is one",
        "connectors/gleif/numbers.py",
        "_VALID: Final = 1  # ISO 7064: the number made of an LEI, modulo 97",
        "_VALID: Final = 2",
        "tests/connectors/gleif/test_gleif_records.py::test_lei_check_digits",
    ),
    Mutant(
        "a test message of the exchange is an announcement",
        "connectors/no/newsweb_rows.py",
        'if message.get("test") is True:',
        'if message.get("test") is False:',
        "tests/connectors/no/test_no_pitfalls.py::test_pitfall_14_newsweb_overflow_sign_mojibake_and_the_envelope",
    ),
    Mutant(
        "status: of two answers of one instant the living one wins",
        "connectors/no/statuses.py",
        "_ended: Final = _short_seen.is_not_null() & (_profile_seen.is_null() | (_short_seen >= _profile_seen))",
        "_ended: Final = _short_seen.is_not_null() & (_profile_seen.is_null() | (_short_seen > _profile_seen))",
        "tests/connectors/no/test_no_statuses.py::TestDeleted::test_on_a_tie_the_short_body_wins",
    ),
)
