"""Token buckets, shared by all worker processes of one machine through a small mapped file.

A bucket is one number: the instant (monotonic clock, the same for all processes of a machine) at which it
would be full. A token moves it on by 1/rate; there is none left when it lies further ahead than the bucket is
deep. This is the token bucket with fractional tokens, written so that its whole state is one float, read and
written in one step.

There are no locks. What that costs: a process that is halted between reading and writing undoes what others
took of the same bucket meanwhile, so some requests too many may pass, and never one too few; two that meet a
new account in the same microsecond may give it two buckets, until one of them looks for it again (`find`). A
bucket that has filled up is the same as none, so its place is given to whoever needs one; with more than
`BUCKET_SLOTS` callers within a burst's length, some get a new bucket early. After a restart of the machine the
clock begins anew: instants further ahead than any bucket is deep are taken for none.

Does not belong here: whose buckets there are, and what is answered (`api.limits`).
"""

import fcntl
import logging
import mmap
import os
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, Final

_LOGGER: Final = logging.getLogger("firm.api")
BUCKET_SLOTS: Final = 65_536
_PROBES: Final = 16
_SIZE: Final = BUCKET_SLOTS * 16  # an identity and an instant of eight bytes each
_ROUNDING: Final = 0.01  # of a token


class Rate:
    """How fast a bucket fills and how much it holds."""

    __slots__ = ("deep", "interval", "per_second")

    def __init__(self, per_second: float, capacity: float) -> None:
        self.per_second = per_second
        self.interval = 1 / per_second
        self.deep = capacity / per_second


@dataclass(slots=True)
class Bucket:
    """Somebody's bucket: who, at what rate, and where it was last seen."""

    identity: int
    rate: Rate
    slot: int = 0


def bucket_of(name: str, rate: Rate) -> Bucket:
    """The bucket of a name (an account, an address); not looked for yet."""
    identity = int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little") or 1
    return Bucket(identity, rate, identity % BUCKET_SLOTS)


class Buckets:
    """Buckets in some memory: a mapped file, or this process's own."""

    def __init__(self, memory: "mmap.mmap | bytearray | None" = None, deepest: float = 60.0) -> None:
        view = memoryview(bytearray(_SIZE) if memory is None else memory)
        self._identities = view[: BUCKET_SLOTS * 8].cast("Q")
        self._instants = view[BUCKET_SLOTS * 8 : _SIZE].cast("d")
        self._deepest = deepest
        """No bucket takes longer to fill."""

    def spend(self, bucket: Bucket, now: float) -> int:
        """Take a token: how many whole ones are left, or -1 where there was none (and nothing is taken)."""
        slot, rate = bucket.slot, bucket.rate
        if self._identities[slot] != bucket.identity:
            slot = self.find(bucket, now)
        full = self._instants[slot]
        if not now < full <= now + self._deepest:
            full = now
        full += rate.interval
        left = (now + rate.deep - full) * rate.per_second + _ROUNDING
        if left < 0:
            return -1
        self._instants[slot] = full
        return int(left)

    def left(self, bucket: Bucket, now: float) -> int:
        """How many whole tokens there are; takes none."""
        full = self._instants[self.find(bucket, now)]
        if not now < full <= now + self._deepest:
            full = now
        return max(0, int((now + bucket.rate.deep - full) * bucket.rate.per_second + _ROUNDING))

    def give_back(self, bucket: Bucket, now: float) -> None:
        """Undo one `spend`."""
        self._instants[self.find(bucket, now)] -= bucket.rate.interval

    def find(self, bucket: Bucket, now: float) -> int:
        """The slot of a bucket; one that is free, or filled up, is taken where it has none."""
        home = bucket.identity % BUCKET_SLOTS
        slots = [slot % BUCKET_SLOTS for slot in range(home, home + _PROBES)]
        for slot in slots:
            if self._identities[slot] == bucket.identity:
                bucket.slot = slot
                return slot
        bucket.slot = min(slots, key=lambda slot: self._ahead(slot, now))
        self._identities[bucket.slot] = bucket.identity
        self._instants[bucket.slot] = 0.0
        return bucket.slot

    def _ahead(self, slot: int, now: float) -> float:
        """How long a slot is needed yet; 0 where nobody has it or its bucket is full."""
        ahead = self._instants[slot] - now
        return ahead if self._identities[slot] and 0 < ahead <= self._deepest else 0.0


def shared_memory(path: Path) -> "mmap.mmap | None":
    """The mapped file at `path`, made where there is none; None, with a warning, where that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
            _fill(file)
            return mmap.mmap(file.fileno(), _SIZE)
    except (OSError, ValueError):
        _LOGGER.warning(
            "%s cannot be shared between processes: each limits bursts by itself", path, exc_info=True
        )
        return None


def _fill(file: BinaryIO) -> None:
    """Written out to its size: a mapped page without room on the disk would end the process.

    Workers start at one moment, so they take turns; the file is never replaced, or those who mapped it earlier
    would share it with nobody.
    """
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        missing = _SIZE - file.seek(0, os.SEEK_END)
        if missing > 0:
            file.write(bytes(missing))
            file.flush()
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)  # said, because a mapping keeps the file open, and the lock with it
