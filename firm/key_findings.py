"""What `firm doctor` says of the keys that registries want: which are missing, and which are refused.

A key is tried only where registries may be asked at all. Nothing of a key is ever told. Does not belong here: what
a market leaves out without its keys (its connector's README).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

import connectors
from connectors.declare import Secret
from connectors.kit.errors import FetchError, Missing, Refused
from connectors.kit.http import Http

Found = tuple[str, str, str]
"""State (ok, warn or bad), what was looked at, and what to do about it."""
_REFUSALS: Final = (401, 403)


def keys(known: Collection[str], http: Http | None) -> Iterator[Found]:
    """Each key that a host wants, by the hosts that this installation has keys for; tried where `http` is given."""
    for market in connectors.JURISDICTIONS:
        for secret in market.secrets:
            if secret.host in known:
                yield _tried(secret, http)
            else:
                left_out = [
                    made.key for made in market.datasets if made.host == (secret.opens or secret.host)
                ]
                yield (
                    "warn",
                    f"no {secret.called} for {secret.host}",
                    f"add it to FIRM_CREDENTIALS: until then {', '.join(left_out)} bring nothing",
                )


def _tried(secret: Secret, http: Http | None) -> Found:
    what = f"{secret.called} for {secret.host}"
    if http is None or secret.probe is None:
        return "ok", f"{what} is set", ""
    try:
        next(http.pulse(secret.probe), b"")
    except Missing:
        pass  # who is told that there is no such thing was let in
    except Refused as error:
        if error.status in _REFUSALS:
            return "bad", f"{what} is refused", f"check FIRM_CREDENTIALS for {secret.host}: {error.reason}"
        return "warn", f"{what} cannot be tried", error.reason
    except FetchError as error:
        return "warn", f"{what} cannot be tried", error.reason
    return "ok", f"{what} is taken", ""
