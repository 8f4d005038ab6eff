"""`firm doctor` check of source credentials: which are missing, and which are rejected.

A credential is tried only if requests to registries are allowed. No part of it is ever shown. Does not belong
here: what a market omits without its credentials (its connector's README).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

import connectors
from connectors.contract.dataset import HostSecret
from connectors.kit.http.client import HttpClient
from connectors.kit.http.errors import FetchError, MissingResourceError, RequestRejectedError
from firm.doctor import DoctorFinding

_REFUSALS: Final = (401, 403)


def source_key_findings(configured_hosts: Collection[str], http: HttpClient | None) -> Iterator[DoctorFinding]:
    """Checks each credential the sources need against the known hosts; tried live if `http` is given."""
    for market in connectors.JURISDICTIONS:
        for secret in market.host_secrets:
            if secret.host in configured_hosts:
                yield _source_key_finding(secret, http)
            else:
                left_out = [made.key for made in market.datasets if made.host == (secret.dataset_host or secret.host)]
                yield DoctorFinding(
                    "warn",
                    f"no {secret.secret_name} for {secret.host}",
                    f"add it to FIRM_CREDENTIALS: until then {', '.join(left_out)} are not fetched",
                )


def _source_key_finding(secret: HostSecret, http: HttpClient | None) -> DoctorFinding:
    what = f"{secret.secret_name} for {secret.host}"
    if http is None or secret.probe_url is None:
        return DoctorFinding("ok", f"{what} is set")
    try:
        next(http.stream_lines(secret.probe_url, key_header=secret.key_header), b"")
    except MissingResourceError:
        pass  # a 404 means the credential was accepted
    except RequestRejectedError as error:
        if error.status in _REFUSALS:
            return DoctorFinding(
                "bad", f"{what} is rejected", f"check FIRM_CREDENTIALS for {secret.host}: {error.reason}"
            )
        return DoctorFinding("warn", f"{what} could not be checked", error.reason)
    except FetchError as error:
        return DoctorFinding("warn", f"{what} could not be checked", error.reason)
    return DoctorFinding("ok", f"{what} is accepted")
