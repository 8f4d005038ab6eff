"""SQL on requests with an Idempotency-Key, inside a transaction the caller has begun.

Does not belong here: the stored content and its lifetime (`api.http.idempotency`).
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, and_, delete, func, or_, select, update

from api.database.engine import insert_into
from api.database.models.accounts import IdempotentRequest


@dataclass(frozen=True, slots=True)
class IdempotencyClaim:
    """One request with an idempotency key: the key's scope, the body's digest, and the claim's own id."""

    account_id: str
    operation: str
    key: str
    fingerprint: bytes
    claimed_by: str


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """The stored first request with a key; `status` and `answer` are None while it runs."""

    fingerprint: bytes
    status: int | None
    response_body: bytes | None


@dataclass(frozen=True, slots=True)
class StoredSize:
    """A number of stored responses, and their bytes together."""

    responses: int
    total_bytes: int

    def with_bytes(self, more: int) -> "StoredSize":
        """The size with more bytes in responses that are counted already."""
        return StoredSize(self.responses, self.total_bytes + more)

    def exceeds(self, bound: "StoredSize") -> bool:
        """True above the number, or with no byte left: a running request counts as a response without bytes."""
        return self.responses > bound.responses or self.total_bytes >= bound.total_bytes


def stored_by_account(connection: Connection, account_id: str, since: datetime) -> tuple[StoredSize, datetime]:
    """What the account has stored since then, its running requests included, and the oldest's time.

    It must have at least one.
    """
    table = IdempotentRequest
    total = func.coalesce(func.sum(func.length(table.answer)), 0)
    statement = select(func.count(), total, func.min(table.created_at, type_=table.created_at.type))
    row = connection.execute(statement.where(table.account_id == account_id, table.created_at > since)).one()
    return StoredSize(row[0], int(row[1])), row[2]


def claim_key(
    connection: Connection, claim: IdempotencyClaim, at: datetime, expired_before: datetime, abandoned_before: datetime
) -> StoredResponse | None:
    """Claims the key: None if the caller may proceed, else the stored request with its response.

    A row created before `expired_before` is overwritten, and one still running since before `abandoned_before` is
    taken over.
    """
    table = IdempotentRequest
    fresh = {
        "fingerprint": claim.fingerprint,
        "created_at": at,
        "claimed_by": claim.claimed_by,
        "status": None,
        "answer": None,
    }
    free = or_(table.created_at <= expired_before, and_(table.status.is_(None), table.created_at <= abandoned_before))
    statement = (
        insert_into(connection, table)
        .values(account_id=claim.account_id, operation=claim.operation, key=claim.key, **fresh)
        .on_conflict_do_update(index_elements=[table.account_id, table.operation, table.key], set_=fresh, where=free)
        .returning(table.key)
    )
    if connection.execute(statement).first() is not None:
        return None
    # the conflicting row is locked or finished; one that vanishes meanwhile was still running
    row = connection.execute(
        select(table.fingerprint, table.status, table.answer).where(_same_request(claim))
    ).one_or_none()
    return StoredResponse(claim.fingerprint, None, None) if row is None else StoredResponse(*row)


def finish_claim(connection: Connection, claim: IdempotencyClaim, status: int, response_body: bytes) -> None:
    """Stores the response, unless another request has taken the key over."""
    mine = and_(_same_request(claim), IdempotentRequest.claimed_by == claim.claimed_by)
    connection.execute(update(IdempotentRequest).where(mine).values(status=status, answer=response_body))


def release_claim(connection: Connection, claim: IdempotencyClaim) -> None:
    """Frees the key of a request that produced no response."""
    connection.execute(
        delete(IdempotentRequest).where(
            _same_request(claim), IdempotentRequest.claimed_by == claim.claimed_by, IdempotentRequest.status.is_(None)
        )
    )


def _same_request(asked: IdempotencyClaim):  # noqa: ANN202 -- SQLAlchemy's own type of a condition
    return and_(
        IdempotentRequest.account_id == asked.account_id,
        IdempotentRequest.operation == asked.operation,
        IdempotentRequest.key == asked.key,
    )
