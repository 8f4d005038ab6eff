"""The Celery application of `firm work`: each task is one Dagster run, which is one market.

Reads the settings once, as `definitions` does; connects to nothing. A task is acknowledged when it starts
(not late), so a run that has begun is never redelivered while its first worker may still be running it. Runs
of dead workers are relaunched by a sensor (`defs.sensors`). Does not belong here: what a run does.
"""

from __future__ import annotations

import os
from typing import Any, Final

from dagster_celery.make_app import make_app
from dagster_celery.tasks import create_execute_job_task

from pipelines.settings import IngestSettings

PATIENCE_SECONDS: Final = 10.0
TAKEN_SECONDS: Final = 120  # seconds after which a run that was lost with its worker before it started is redelivered


def celery_configuration(broker: str) -> dict[str, Any]:
    """Celery configuration of a worker. Queue and task names are those of Dagster's launcher."""
    return {
        "broker": broker,
        "backend": broker,
        "config_source": {
            "task_default_queue": "dagster",
            "worker_prefetch_multiplier": 1,
            "worker_disable_prefetch": True,  # no run waits behind a market or is lost with its worker
            "worker_max_tasks_per_child": 1,  # frees a market's memory
            "task_acks_late": False,
            "broker_connection_retry_on_startup": True,
            "broker_connection_max_retries": None,  # keep retrying until the broker is back
            "worker_cancel_long_running_tasks_on_connection_loss": False,
            "broker_transport_options": {"socket_timeout": PATIENCE_SECONDS, "visibility_timeout": TAKEN_SECONDS},
            "result_backend_always_retry": True,
            "result_expires": 86_400,
        },
    }


app = make_app(celery_configuration(IngestSettings.read(os.environ).celery_broker_url))
execute_job = create_execute_job_task(app)
