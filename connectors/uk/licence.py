"""Licence terms and URLs shared by all Companies House datasets (docs/formats/uk.md 14)."""

from __future__ import annotations

from typing import Final

from connectors.contract.dataset import Licence

CODE: Final = "UK"
LICENCE: Final = Licence(
    name="UK public register",
    url="https://www.gov.uk/government/organisations/companies-house",
    attribution=(
        "Contains public sector information from Companies House, licensed under the Open Government Licence v3.0."
    ),
)
DOWNLOADS: Final = "download.companieshouse.gov.uk"
PUBLIC_PAGE: Final = "https://find-and-update.company-information.service.gov.uk/company/"
