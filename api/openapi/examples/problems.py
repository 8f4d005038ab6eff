"""An example of every problem (docs/contract/contract.md 4.10).

Does not belong here: how the document renders them (`api.openapi.problem_responses`).
"""

from typing import Any, Final

from api.openapi.examples import load_examples
from api.problems.problem import ProblemDetail, ProblemError, new_problem


def _problem(errors: list[dict[str, str]] | None = None, **members: Any) -> ProblemError:
    return new_problem(
        members.pop("code"), members.pop("detail"), *(ProblemDetail(**one) for one in errors or ()), **members
    )


PROBLEMS: Final = tuple(_problem(**members) for members in load_examples("problems.json"))
