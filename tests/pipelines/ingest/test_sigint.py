"""Ctrl-C where Python drops what is raised: it comes again, whoever it would have ended (`pipelines.ingest.sigint`)."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import ROOT

_PATIENCE = 60
_PLAIN = "nullcontext()"
_OF_A_STEP = "raise_interrupts_as(DagsterExecutionInterruptedError)"
_IMPORTS = {
    _PLAIN: "from contextlib import nullcontext",
    _OF_A_STEP: "from dagster import DagsterExecutionInterruptedError\n"
    "from dagster._utils.interrupts import raise_interrupts_as",
}
_DROPPED = {
    "weak reference": "held = weakref.ref(one, lambda _: signal.raise_signal(signal.SIGINT))",
    "destructor": "One.__del__ = lambda _: signal.raise_signal(signal.SIGINT)",
}
_SCRIPT = """
import signal, time, weakref
{imports}
from pipelines.ingest import sigint
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored by what a shell starts in the background

class One: pass

{kept}
one, said = One(), []
with {within}:
    try:
        {dropped}
        del one
        said.append("dropped")  # not printed: the interrupt may come within a print
        time.sleep({seconds})
    except BaseException as error:
        said.append(type(error).__name__)
print(*said)
"""


def _said(where: str, within: str, kept: str, seconds: float) -> tuple[list[str], str]:
    script = _SCRIPT.format(
        imports=_IMPORTS[within], within=within, kept=kept, dropped=_DROPPED[where], seconds=seconds
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=_PATIENCE, check=True
    )
    return ran.stdout.split(), ran.stderr


@pytest.mark.parametrize("where", _DROPPED)
@pytest.mark.parametrize(
    ("within", "raised"), [(_PLAIN, "KeyboardInterrupt"), (_OF_A_STEP, "DagsterExecutionInterruptedError")]
)
def test_an_interrupt_that_is_dropped_comes_again(where: str, within: str, raised: str) -> None:
    kept = "sigint.install_sigint_redelivery()"
    assert _said(where, within, kept, seconds=2 * _PATIENCE) == (["dropped", raised], "")


def test_python_itself_loses_it() -> None:
    """What all this is for: were it no longer so, the module could go."""
    out, err = _said("weak reference", _PLAIN, "", seconds=0.5)
    assert out == ["dropped"]
    assert "KeyboardInterrupt" in err


def test_what_is_no_interrupt_is_told_as_ever() -> None:
    script = """
from pipelines.ingest import sigint
class One:
    def __del__(self): raise ValueError("told")
sigint.install_sigint_redelivery()
one = One()
del one
"""
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "ValueError: told" in ran.stderr
