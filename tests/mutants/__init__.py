"""Proof that the tests would notice: one-line breaks of the product, each with the test that must turn red."""

from typing import Final

from tests.mutants.of_api import API, WEBHOOKS
from tests.mutants.of_billing import BILLING
from tests.mutants.of_connectors import CONNECTORS
from tests.mutants.of_dashboard import DASHBOARD
from tests.mutants.of_operations import OPERATIONS
from tests.mutants.of_pipelines import PIPELINES
from tests.mutants.of_sandbox import SANDBOX
from tests.mutants.of_warehouse import WAREHOUSE
from tests.mutants.of_worlds import WORLDS

MUTANTS: Final = (
    *CONNECTORS,
    *SANDBOX,
    *PIPELINES,
    *WORLDS,
    *WAREHOUSE,
    *API,
    *WEBHOOKS,
    *BILLING,
    *DASHBOARD,
    *OPERATIONS,
)
