"""API key pages: list without the secret part, create and show once, revoke permanently."""

import asyncio
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import TypeVar

import msgspec
from litestar import get, post
from litestar.params import FromPath

from api.accounts.service import AccountError
from api.auth.api_keys import KeyRecord
from api.dashboard import one_time_secrets
from api.dashboard.html_forms import Form, PageError, unavailable_without_database
from api.dashboard.routing import CurrentPage, PageRequest
from api.http.responses import HttpResponse

T = TypeVar("T")
_ALL = "/dashboard/keys"
_KINDS = ("live", "public")
_MOST_KEYS = 50
_MOST_DOMAINS = 20
_LONGEST_YEARS = 10
_YEAR = timedelta(days=366)
_GONE = "The key is not stored. If you have not copied it, revoke it and create another one."
_EMPTY = {"kind": "live", "label": "", "domains": "", "expires": ""}


class _NewKeyView(msgspec.Struct):
    key: str
    kind: str
    label: str | None


@get(_ALL)
async def list_keys(page: CurrentPage) -> HttpResponse:
    return _key_list_page(page, await _account_keys(page))


@post(_ALL)
async def create_key(page: CurrentPage) -> HttpResponse:
    """Creates a key and redirects to the page that shows it."""
    accounts, form, now = page.services.account_service, page.form, page.services.clock.now()
    kind, label = form.get("kind", ""), form.get("label", "").strip() or None
    keys = await _account_keys(page)
    try:
        _check_new_key(kind, [key for key in keys if key.state(now) == "active"])
        domains, expires_at = _parse_domains(form), _parse_expiry(form, now)
        made = await _run_in_thread(lambda: accounts.create_key(page.account_id, kind, domains, label, expires_at))
    except AccountError as error:
        written = {name: form.get(name, "") for name in _EMPTY}
        return _key_list_page(page, keys, 422, written, str(error))
    view_id = await one_time_secrets.store_once(page, _NewKeyView(made.key, made.kind, label))
    return page.redirect_to(f"{_ALL}/made/{view_id}")


@get(f"{_ALL}/made/{{view_id:str}}")
async def show_key(page: CurrentPage, view_id: FromPath[str]) -> HttpResponse:
    """The only page that shows the key."""
    made = await one_time_secrets.pop_once(page, view_id, _NewKeyView, _GONE)
    return page.render("key_made.html", made=made, public_url=page.services.settings.public_url)


@post(f"{_ALL}/{{key_id:str}}/revoke")
async def revoke_key(page: CurrentPage, key_id: FromPath[str]) -> HttpResponse:
    accounts = page.services.account_service
    if key_id not in {key.key_id for key in await _account_keys(page)}:
        raise PageError(404, "Key not found", "Go back to the list of your keys.")
    await _run_in_thread(lambda: accounts.revoke_key(key_id))
    return page.redirect_to(_ALL)


def _key_list_page(
    visit: PageRequest,
    keys: list[KeyRecord],
    status: int = 200,
    written: dict[str, str] = _EMPTY,
    error: str | None = None,
) -> HttpResponse:
    """Active keys first, then the others, newest first; `written` is the input of a rejected form."""
    service, now = visit.services, visit.services.clock.now()
    newest = [(key, key.state(now)) for key in reversed(keys)]
    ordered = sorted(newest, key=lambda one: one[1] != "active")
    return visit.render(
        "keys.html",
        status,
        keys=ordered,
        written=written,
        error=error,
        tomorrow=service.clock.today() + timedelta(days=1),
        cache_seconds=int(service.settings.key_cache_seconds),
    )


async def _account_keys(visit: PageRequest) -> list[KeyRecord]:
    return await _run_in_thread(lambda: visit.services.account_service.keys(visit.account_id))


async def _run_in_thread(work: Callable[[], T]) -> T:
    """Runs an `Accounts` call in a thread, because it uses the database."""
    with unavailable_without_database("Keys are temporarily unavailable."):
        return await asyncio.to_thread(work)


def _check_new_key(kind: str, active: list[KeyRecord]) -> None:
    if kind not in _KINDS:
        raise AccountError("choose a secret or a publishable key")
    if len(active) >= _MOST_KEYS:
        raise AccountError(f"an account has at most {_MOST_KEYS} active keys: revoke one first")


def _parse_domains(form: Form) -> list[str]:
    """One domain per line, without duplicates, in the order written."""
    domains = list(dict.fromkeys(form.get("domains", "").lower().split()))
    if len(domains) > _MOST_DOMAINS:
        raise AccountError(f"a key has at most {_MOST_DOMAINS} domains")
    return domains


def _parse_expiry(form: Form, now: datetime) -> datetime | None:
    """The end of the chosen day, in UTC; None for a key without expiry."""
    written = form.get("expires", "").strip()
    if not written:
        return None
    try:
        chosen = datetime.combine(date.fromisoformat(written), datetime.min.time(), UTC)
    except ValueError:
        raise AccountError("enter the last day as YYYY-MM-DD, or leave it empty") from None
    if chosen > now + _LONGEST_YEARS * _YEAR:
        raise AccountError(
            f"a key can be valid for at most {_LONGEST_YEARS} years; leave the last day empty for no limit"
        )
    return chosen + timedelta(days=1)
