"""Breaks of the service: cursors, quotas, bursts, tags; and of webhooks: matching, schedule, leases, signatures."""

from typing import Final

from tests.mutants.mutant import Mutant

API: Final = (
    Mutant(
        "connections: a head without an end is read on",
        "api/runtime/http_protocol.py",
        "if self.progress.received > _HEAD_BYTES or len(self.headers or ()) > HEADER_COUNT:",
        "if len(self.headers or ()) > HEADER_COUNT:",
        "tests/api/runtime/test_http_protocol.py::test_what_is_sent_within_and_over_each_budget_is_answered",
    ),
    Mutant(
        "connections: line ends keep a connection open",
        "api/runtime/http_protocol.py",
        "progress.enter(Phase.HEAD, self.loop.time())  # also for line ends, which begin no message",
        "pass",
        "tests/api/runtime/test_http_protocol.py::test_what_is_sent_within_and_over_each_budget_is_answered",
    ),
    Mutant(
        "connections: trailers join the headers",
        "api/runtime/http_protocol.py",
        "self.headers = []  # for trailers, which would join the headers that are checked",
        "pass",
        "tests/api/runtime/test_http_protocol.py::test_a_trailer_does_not_join_the_headers",
    ),
    Mutant(
        "connections: a body may come as slowly as it likes",
        "api/runtime/connection_guard.py",
        "return seconds > limits.body_seconds + self.received / limits.body_bytes_per_second",
        "return False",
        "tests/api/runtime/test_http_protocol.py::test_a_client_is_late_by_what_is_awaited",
    ),
    Mutant(
        "cursor: any signature will do",
        "api/http/pagination/cursors.py",
        "is_ours = any(hmac.compare_digest(_cursor_signature(key, signed), tag) for key in self._keys)",
        "is_ours = bool(self._keys)",
        "tests/api/http/pagination/test_cursors.py::test_cursors_that_were_signed_only_are_read_on",
    ),
    Mutant(
        "cursor: one of another account is taken",
        "api/http/pagination/cursors.py",
        'if payload.account not in ("", binding.account_id):',
        "if payload.account is None:",
        "tests/api/http/pagination/test_cursors.py::test_a_cursor_belongs_to_account_and_query",
    ),
    Mutant(
        "cursor: seven days end a second early",
        "api/http/pagination/cursors.py",
        "if not binding.lasting and self._clock.wall() - payload.issued_at > LIFETIME_SECONDS:",
        "if not binding.lasting and self._clock.wall() - payload.issued_at >= LIFETIME_SECONDS:",
        "tests/api/http/pagination/test_cursors.py::test_seven_days_and_no_more",
    ),
    Mutant(
        "quota: a month has one request more",
        "api/rate_limits/limiter.py",
        "if limits.count.used + limits.in_flight < limits.allowed:",
        "if limits.count.used + limits.in_flight <= limits.allowed:",
        "tests/api/rate_limits/test_limiter_meters.py"
        "::test_the_last_request_of_a_month_is_answered_and_the_next_is_not",
    ),
    Mutant(
        "quota: requests under way are not counted",
        "api/http/access_control.py",
        "meter.in_flight += 1",
        "meter.in_flight += 0",
        "tests/api/usage/test_quota_races.py::test_requests_under_way_count_as_used",
    ),
    Mutant(
        "conditional request: a date is free",
        "api/http/responses.py",
        "context.counts_as = None if asked is not None and names_tag(asked, tag) else 200",
        "context.counts_as = None if asked is None or names_tag(asked, tag) else 200",
        "tests/api/http/test_conditional_requests.py::test_a_304_by_date_costs_what_a_plain_request_costs",
    ),
    Mutant(
        "conditional request: a tag confirms a cursor for good",
        "api/http/pagination/responses.py",
        'tagged.append(b"%d" % period)',
        'tagged.append(b"")',
        "tests/api/http/test_conditional_requests.py::test_no_304_confirms_a_page_whose_cursor_expires_soon",
    ),
    Mutant(
        "log: a request id may be a key",
        "api/http/middleware.py",
        "return text if redact(text) == text else None",
        "return text",
        "tests/api/http/test_middleware.py::test_a_request_id_that_looks_like_a_secret_is_neither_returned_nor_logged",
    ),
    Mutant(
        "burst: a refused request costs a token",
        "api/rate_limits/token_buckets.py",
        "if left < 0:",
        "if left < -1:",
        "tests/api/rate_limits/test_token_buckets.py::test_capacity_at_once_then_the_rate",
    ),
    Mutant(
        "tags: a list of tags matches by its first alone",
        "api/http/response_headers.py",
        "return any(entry.removeprefix(b\"W/\") == b'\"' + tag + b'\"' for entry in asked)",
        "return next(asked) == b'\"' + tag + b'\"'",
        "tests/api/http/test_etags.py::test_what_names_it",
    ),
)

WEBHOOKS: Final = (
    Mutant(
        "HMAC: the timestamp is not signed",
        "api/webhooks/egress/signing.py",
        'signed = b"%b.%d.%b" % (message_id.encode(), timestamp, body)',
        'signed = b"%b.%d.%b" % (message_id.encode(), 0, body)',
        "tests/api/webhooks/egress/test_signing.py::test_standard_webhooks_vector",
    ),
    Mutant(
        "HMAC: the secret's prefix is no part of the key",
        "api/webhooks/egress/signing.py",
        'return "sha256=" + _hmac_digest(secret.encode(), body).hex()',
        'return "sha256=" + _hmac_digest(secret.removeprefix(PREFIX).encode(), body).hex()',
        "tests/api/webhooks/egress/test_signing.py::test_own_dual_vector",
    ),
    Mutant(
        "schedule: the fifth failure is the last",
        "api/webhooks/delivery/retry_policy.py",
        "if tries > len(retry_delays):",
        "if tries >= len(retry_delays):",
        "tests/api/webhooks/delivery/test_retry_policy.py::test_a_wait_is_never_shorter_and_at_most_an_hour_longer",
    ),
    Mutant(
        "schedule: a receiver may put a delivery off for ever",
        "api/webhooks/delivery/retry_policy.py",
        "seconds = max(retry_delays[tries - 1], min(more, retry_delays[tries - 1] + LONGEST_RETRY_AFTER))",
        "seconds = max(retry_delays[tries - 1], more)",
        "tests/api/webhooks/delivery/test_retry_policy.py::test_a_wait_is_never_shorter_and_at_most_an_hour_longer",
    ),
    Mutant(
        "lease: what has run out is held for ever",
        "api/database/leases.py",
        "where=or_(Lease.holder == holder, Lease.until <= at, Lease.until > horizon),",
        "where=or_(Lease.holder == holder, Lease.until > horizon),",
        "tests/api/webhooks/delivery/test_fanout_twice.py"
        "::test_one_leads_and_the_other_takes_over_when_it_is_gone[sqlite]",
    ),
    Mutant(
        "claim: a mail that was claimed is sent by another at the same time",
        "api/email/outbox.py",
        "update(Mail).where(Mail.mail_id == row.mail_id).values(next_attempt_at=until, attempts=row.attempts + 1)",
        "update(Mail).where(Mail.mail_id == row.mail_id).values(next_attempt_at=at, attempts=row.attempts + 1)",
        "tests/api/email/test_outbox_repository.py::test_what_is_due_longest_is_claimed_first_and_by_one[sqlite]",
    ),
    Mutant(
        "matching: a subscription gets what was published before it",
        "api/webhooks/delivery/fanout.py",
        'wanted = f"s.deleted_at IS NULL AND s.from_sequence < batch.sequence AND (s.event_mask & batch.bit) <> 0{only}"',
        'wanted = f"s.deleted_at IS NULL AND s.from_sequence <= batch.sequence AND (s.event_mask & batch.bit) <> 0{only}"',
        "tests/api/webhooks/delivery/test_fanout.py"
        "::test_what_was_published_before_a_subscription_does_not_concern_it[sqlite]",
    ),
    Mutant(
        "matching: two who match the same events both do",
        "api/webhooks/delivery/fanout.py",
        "update(LedgerCursor).where(LedgerCursor.name == CURSOR, LedgerCursor.sequence == old).values(sequence=new)",
        "update(LedgerCursor).where(LedgerCursor.name == CURSOR, LedgerCursor.sequence >= old).values(sequence=new)",
        "tests/api/webhooks/delivery/test_fanout.py::test_the_cursor_of_statements[sqlite]",
    ),
    Mutant(
        "filters: a company whose classification is not known passes",
        "api/webhooks/filters/matching.py",
        '"filter_scheme": f"{s}.filter_scheme = {e}.industry_scheme",',
        '"filter_scheme": f"{s}.filter_scheme = coalesce({e}.industry_scheme, {s}.filter_scheme)",',
        "tests/api/webhooks/delivery/test_filters.py::test_every_filter_on_every_way_to_a_subscription[sqlite]",
    ),
    Mutant(
        "filters: bounds of bands are subtracted",
        "api/webhooks/filters/event_facts.py",
        "if change.basis not in _KNOWN_BASES or change.previous_pct is None or change.current_pct is None:",
        "if change.previous_pct is None or change.current_pct is None:",
        "tests/api/webhooks/delivery/test_filters.py::test_every_filter_on_every_way_to_a_subscription[sqlite]",
    ),
    Mutant(
        "filters: a watchlist that a subscription needs is deleted",
        "api/watchlists/service.py",
        "if used_by:",
        "if not used_by:",
        "tests/api/webhooks/subscriptions/test_filters.py::test_a_watchlist_in_use_is_not_deleted[sqlite]",
    ),
    Mutant(
        "egress: a machine's metadata may be asked for",
        "api/webhooks/egress/ip_guard.py",
        '"169.254.0.0/16",  # link-local, where clouds keep their metadata',
        '"169.255.0.0/16",',
        "tests/api/webhooks/egress/test_deny_table.py::test_every_row_of_the_deny_table",
    ),
    Mutant(
        "egress: IPv6 that is given to nobody goes out",
        "api/webhooks/egress/ip_guard.py",
        "return address not in UNICAST or any(address in network for network in _DENIED_6)",
        "return any(address in network for network in _DENIED_6)",
        "tests/api/webhooks/egress/test_deny_table.py::test_only_given_out_ipv6_is_allowed",
    ),
    Mutant(
        "erasure: stored events of other types than ownership.changed name an erased holder",
        "api/webhooks/erasure.py",
        "found = session.execute(columns.where(MatchedEvent.sequence > after)).all()",
        'found = session.execute(columns.where(MatchedEvent.event_type == "ownership.changed")).all()',
        "tests/api/webhooks/test_erasure.py::test_erase_events_of_a_type_that_names_a_holder_since_lately_blanks_it",
    ),
    Mutant(
        "markets: what was not counted is 0",
        "api/companies/routes/markets.py",
        'return {"unlinked_rows": figures.unlinked_rows.get(key), "changed_subjects": figures.changed_subjects.get(key)}',
        'return {"unlinked_rows": figures.unlinked_rows.get(key, 0), "changed_subjects": 0}',
        "tests/api/companies/test_markets.py::test_markets_with_reconciliation_state_what_is_unaccounted_for",
    ),
)
