"""The acceptance names of docs/contract/contract.md 4.16 on webhooks, and where the tests of each stand."""

import re
from pathlib import Path

import pytest

from tests.tables import check_cases

TESTS = Path(__file__).parents[2]
CONTRACT = TESTS.parent / "docs" / "contract" / "contract.md"

# Group -> contract's name -> tests of that promise, anywhere below tests/api
ACCEPTANCE = {
    "Signing": {
        "github_vector": ("test_github_vector",),
        "standard_webhooks_vector": ("test_standard_webhooks_vector",),
        "own_dual_vector": ("test_own_dual_vector",),
        "non_ascii_body": ("test_non_ascii_body",),
        "rotation_both_headers": ("test_rotation_both_headers",),
        "rotation_expires": ("test_rotation_expires", "test_a_previous_secret_signs_until_it_expires"),
        "secret_never_in_get": ("test_secret_never_in_get",),
        "hex_is_lowercase": ("test_hex_is_lowercase",),
        "signature_over_exact_wire_bytes": ("test_signature_over_exact_wire_bytes",),
        "headers_on_every_retry": ("test_headers_on_every_retry", "test_headers_on_every_retry_are_whole_and_new"),
    },
    "Schedule": {
        "full_14h36_on_fake_clock": ("test_full_14h36_on_fake_clock",),
        "success_on_each_attempt_1_to_6": ("test_success_on_each_attempt_1_to_6",),
        "pause_exactly_on_6th_failure": ("test_pause_exactly_on_6th_failure",),
        "mail_once_under_race": ("test_mail_once_under_race", "test_pause_mail_once_under_race"),
        "warning_mail_after_retry_4": ("test_warning_mail_after_retry_4",),
        "9_999s_success_10_001s_failure": ("test_9_999s_success_10_001s_failure",),
        "headers_in_time_body_dripping": ("test_headers_in_time_body_dripping",),
        "204_and_299_ack": ("test_204_and_299_ack",),
        "301_307_not_followed": ("test_301_307_not_followed",),
        "410_is_plain_failure": ("test_410_is_plain_failure",),
        "retry_after_lengthens_never_shortens": ("test_retry_after_lengthens_never_shortens",),
        "clock_jump_back": ("test_clock_jump_back",),
    },
    "Isolation": {
        "hanging_endpoint_does_not_delay_others": ("test_hanging_endpoint_does_not_delay_others",),
        "in_flight_cap": ("test_in_flight_cap",),
        "max_per_second": ("test_max_per_second",),
        "kill_9_between_send_and_commit": ("test_kill_9_between_send_and_commit",),
        "two_dispatchers_no_double_claim": ("test_two_dispatchers_no_double_claim",),
        "delete_while_queued": ("test_delete_while_queued",),
        "filter_removed_while_retrying": ("test_filter_removed_while_retrying",),
        "poison_row_quarantined": ("test_poison_row_quarantined",),
        "10k_backlog_drains": ("test_10k_backlog_drains",),
    },
    "SSRF": {
        "every row of the deny table": (
            "test_the_table_is_the_contracts",
            "test_every_row_of_the_deny_table",
            "test_every_row_of_the_deny_table_is_blocked",
        ),
        "2130706433/0x7f.1/127.1/0177": ("test_numeric_spellings_are_refused", "test_numeric_spellings_never_arrive"),
        "::ffff:127.0.0.1": ("test_mapped_addresses_are_judged_as_ipv4",),
        "64:ff9b::a9fe:a9fe": ("test_only_given_out_ipv6_is_allowed",),
        "rebinding between create and send": ("test_rebinding_between_create_and_send",),
        "rebinding between two attempts": ("test_rebinding_between_two_attempts",),
        "mixed public+private answers": (
            "test_mixed_public_and_private_answers",
            "test_mixed_public_and_private_answers_are_blocked",
        ),
        "resolver failure closes": ("test_resolver_failure_closes",),
        "redirect to metadata": ("test_redirect_to_metadata",),
        "userinfo/fragment/port 22/25": (
            "test_idna_errors_userinfo_fragment_and_ports_are_invalid_urls",
            "test_port_22_and_25_and_other_low_ones",
        ),
        "IDNA errors": ("test_idna_errors_userinfo_fragment_and_ports_are_invalid_urls",),
        "env proxy ignored": ("test_env_proxy_ignored",),
        "gzip bomb": ("test_gzip_bomb",),
        "1 GB response": ("test_1_gb_response",),
        "test route uses same guard": (
            "test_test_route_uses_same_guard",
            "test_real_test_retry_and_replay_sends_have_one_way_out",
        ),
    },
    "Subscription": {
        "create/list/get/patch/delete": ("test_create_list_get_patch_delete",),
        "empty entity_ids 422": ("test_empty_entity_ids_422",),
        "aliases": ("test_aliases",),
        "DK entity accepted": ("test_dk_entity_accepted",),
        "paused→active keeps held": ("test_paused_to_active_keeps_held",),
        "replay window": ("test_replay_window",),
        "retry while paused": ("test_retry_while_paused",),
        "If-Match 412": ("test_if_match_412",),
        "idempotency replay/mismatch/concurrent": (
            "test_idempotency_replay",
            "test_idempotency_mismatch",
            "test_idempotency_concurrent",
        ),
        "other account 404": ("test_other_account_404",),
        "tier gates": ("test_tier_gates",),
        "limit reached": ("test_limit_reached",),
        "10 000 entity_ids": ("test_10_000_entity_ids",),
    },
}


@pytest.fixture(scope="module")
def known():
    written = "\n".join(path.read_text() for path in (TESTS / "api").rglob("test_*.py"))
    return set(re.findall(r"^ *(?:async )?def (test_\w+)\(", written, re.MULTILINE))


@check_cases("group", ACCEPTANCE)
def test_every_promise_has_its_tests(known, group):
    missing = {name: wanted for name, wanted in ACCEPTANCE[group].items() if not set(wanted) <= known}
    assert missing == {}


@check_cases("group", ACCEPTANCE)
def test_the_promises_are_the_contracts(group):
    line = re.search(rf"^{group}: (.*)\.$", CONTRACT.read_text(), re.MULTILINE)
    assert line is not None
    names = [re.sub(r" \(.*\)", "", name.strip()) for name in line[1].split(" · ")]
    assert names == list(ACCEPTANCE[group])
