"""A query of DuckDB that Ctrl-C meets: what a command under test does in a process of its own."""

import os
import signal
import threading

import duckdb


def query() -> None:
    """Is met by Ctrl-C while DuckDB works; would take hours."""
    # with one thread it is the one that listens
    connection = duckdb.connect(config={"threads": 1})
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    connection.sql("SELECT max(hash(i)) FROM range(1000000000000) r(i)").fetchall()
