"""Not there, as where the service runs: pyarrow imports it wherever it is, which takes a start half a second.

edgartools brings it, with which tests read what the sandbox writes. Processes that tests start find this first
(`tests/conftest.py`). Nothing else belongs here.
"""

raise ImportError("the service runs without pandas")
