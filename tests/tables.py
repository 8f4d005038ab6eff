"""A table of cases as one test that reports every failing case: for cases that take microseconds each.

Used as `pytest.mark.parametrize` is. Does not belong here: cases that need a fixture of their own, take longer than a
few milliseconds, or are named by others (mutants, documents): those stay parametrised.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

Test = Callable[..., None]
MOST_SHOWN = 60  # characters of a value in the name of its case


def check_cases(
    names: str | Sequence[str], cases: Iterable[Any], ids: Iterable[str] | None = None
) -> Callable[[Test], Test]:
    """Runs a test function on every case; fails with a group that holds the failure of each failing case.

    `names`: the arguments that a case fills, as `parametrize` takes them; others stay fixtures. `cases`: a value each,
    or a tuple where there are several names. An empty table is an error. A case that skips skips the whole test.
    """
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = [_row(arguments, case) for case in cases]
    if not rows:
        raise ValueError(f"a table of {', '.join(arguments)} without cases")
    labels = list(ids) if ids is not None else [_label(row) for row in rows]
    if len(labels) != len(rows):
        raise ValueError(f"{len(labels)} ids for {len(rows)} cases")

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        fixtures = [one for name, one in signature.parameters.items() if name not in arguments]
        if len(signature.parameters) - len(fixtures) != len(arguments):
            raise TypeError(f"{test.__name__} does not take {', '.join(arguments)}")

        @functools.wraps(test)
        def run_all(*own: Any, **given: Any) -> None:  # `own`: the object of a test that is a method
            failures = [
                failure
                for label, row in zip(labels, rows, strict=True)
                if (failure := _failure_of(functools.partial(test, *own), label, given | row)) is not None
            ]
            if failures:
                failing = ", ".join(failure.__notes__[-1] for failure in failures)
                raise BaseExceptionGroup(f"{len(failures)} of {len(rows)} cases: {failing}", failures)

        run_all.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
        del run_all.__wrapped__  # type: ignore[attr-defined]  # pytest would look for fixtures at the inner function
        return run_all

    return decorate


def _row(arguments: list[str], case: Any) -> dict[str, Any]:
    values = (case,) if len(arguments) == 1 else tuple(case)
    return dict(zip(arguments, values, strict=True))


def _label(row: dict[str, Any]) -> str:
    return "-".join(repr(value)[:MOST_SHOWN] for value in row.values())


def _failure_of(test: Test, label: str, given: dict[str, Any]) -> BaseException | None:
    try:
        test(**given)
    except (Exception, pytest.fail.Exception, BaseExceptionGroup) as failure:  # noqa: BLE001 - each is reported
        failure.add_note(label)
        return failure
    return None
