"""The Celery application that `firm work` starts: each task is one run of Dagster, which is one market.

Reads the settings, once, as `definitions` does; connects to nothing. A task is taken from the broker when it
begins: a run that has begun is not handed out a second time while its first worker may still be at it. What a dead
worker leaves is begun anew by a sensor (`recovering`). Does not belong here: what a run does.
"""

from __future__ import annotations

import os
from typing import Any, Final

from dagster_celery.make_app import make_app
from dagster_celery.tasks import create_execute_job_task

from pipelines.settings import Settings

PATIENCE_SECONDS: Final = 10.0
TAKEN_SECONDS: Final = (
    120  # after which a run that a worker took, and died before it began, is handed out again
)


def configuration(broker: str) -> dict[str, Any]:
    """What a worker is told. Queues and tasks are those that Dagster's launcher uses."""
    return {
        "broker": broker,
        "backend": broker,
        "config_source": {
            "task_default_queue": "dagster",
            "worker_prefetch_multiplier": 1,
            "worker_disable_prefetch": True,  # nobody waits behind a market, or dies with its worker
            "worker_max_tasks_per_child": 1,  # the memory of a market goes with it
            "task_acks_late": False,
            "broker_connection_retry_on_startup": True,
            "broker_connection_max_retries": None,  # a broker that is away comes back
            "worker_cancel_long_running_tasks_on_connection_loss": False,
            "broker_transport_options": {
                "socket_timeout": PATIENCE_SECONDS,
                "visibility_timeout": TAKEN_SECONDS,
            },
            "result_backend_always_retry": True,
            "result_expires": 86_400,
        },
    }


app = make_app(configuration(Settings.read(os.environ).celery_broker_url))
execute_job = create_execute_job_task(app)
