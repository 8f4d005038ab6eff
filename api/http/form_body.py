"""Request bodies that are forms: `application/x-www-form-urlencoded`, each field once, percent-encoded UTF-8.

Does not belong here: bodies that are JSON (`api.http.json_body`), or the dashboard's tokens against other sites'
forms (`api.dashboard.html_forms`).
"""

from typing import Final
from urllib.parse import parse_qsl

from api.http.json_body import Object
from api.problems.problem import ProblemDetail, new_problem

FORM_TYPE: Final = b"application/x-www-form-urlencoded"
MOST_FIELDS: Final = 50


class MalformedFormError(ValueError):
    """The body is no form, or gives a field twice."""


def form_fields(received: bytes) -> dict[str, str]:
    """The fields of a form by name. Raises MalformedFormError."""
    try:
        pairs = parse_qsl(received.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError:  # invalid UTF-8, or too many fields
        raise MalformedFormError("must be percent-encoded UTF-8 of a few fields") from None
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise MalformedFormError("must give each field once")
    return fields


def parse_form(received: bytes, _most_containers: int) -> Object:
    """A form as an object of texts, for the `parse` of a `BodyPolicy`; 400 on failure."""
    try:
        return form_fields(received)
    except MalformedFormError as error:
        raise new_problem(
            "invalid_parameter", f"The form {error}.", ProblemDetail("format", str(error), pointer="")
        ) from None
