"""Runs in a process of its own, with the library of the standard's authors: their schema, and their further checks.

Writes an object with what they find in each of the files named as arguments. The library would load the list of
identifier codes from https://org-id.guide; the codes of that list which may occur are the argument before them.
"""

import json
import sys
from typing import Any

from libcovebods import additionalfields, data_reader, jsonschemavalidate, run_tasks, schema
from libcovebods.config import LibCoveBODSConfig
from libcovebods.tasks.checks import legacy_checks, record_based_checks


def review(path: str) -> dict[str, Any]:
    """Violations of the schema, fields that it does not have, and further faults."""
    reader, config = data_reader.DataReader(path), LibCoveBODSConfig()
    chosen = schema.SchemaBODS(reader, config)
    checked = run_tasks.process_additional_checks(reader, config, chosen, run_tasks.TASK_CLASSES)
    return {
        "version": chosen.schema_version,
        "schema": [found.json() for found in jsonschemavalidate.JSONSchemaValidator(chosen).validate(reader)],
        "fields": additionalfields.AdditionalFields(chosen).process(reader),
        "checks": checked["additional_checks"],
    }


if __name__ == "__main__":
    for module in (legacy_checks, record_based_checks):
        module.get_orgids_prefixes = lambda: sys.argv[1].split(",")
    sys.stdout.write(json.dumps({path: review(path) for path in sys.argv[2:]}))
