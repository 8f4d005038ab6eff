"""Token buckets, shared by all worker processes of one machine through a small mapped file.

A bucket is one number: the instant (monotonic clock, the same for all processes of a machine) at which it would
be full. Taking a token moves it forward by 1/rate; the bucket is empty when the instant lies further ahead than
the bucket's depth. This is a token bucket with fractional tokens, written so that its whole state is one float,
read and written in one step.

There are no locks. The cost: a process paused between reading and writing undoes what others took from the same
bucket meanwhile, so some requests too many may pass, but never one too few. Two processes that see a new
account in the same microsecond may create two buckets, until one of them searches again (`find`). A full bucket
equals no bucket, so its slot is reused; with more than `BUCKET_SLOTS` callers within a burst's length, some get
a new bucket early. After a reboot the clock restarts: instants further ahead than the deepest bucket are
ignored.

Does not belong here: which buckets exist, and the responses (`api.rate_limits.limiter`).
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
_BEYOND_SECONDS: Final = 1.0  # an emptied bucket may lie beyond its depth by the rounding of a token, of 100 s at most


class BucketRate:
    __slots__ = ("deep", "interval", "per_second")

    def __init__(self, per_second: float, capacity: float) -> None:
        self.per_second = per_second
        self.interval = 1 / per_second
        self.deep = capacity / per_second


@dataclass(slots=True)
class TokenBucket:
    """A bucket: identity, rate, and the slot where it was last found."""

    identity: int
    rate: BucketRate
    slot: int = 0


def token_bucket(name: str, rate: BucketRate) -> TokenBucket:
    """The bucket of a name (an account, an address); its slot is not searched yet."""
    identity = int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little") or 1
    return TokenBucket(identity, rate, identity % BUCKET_SLOTS)


class TokenBuckets:
    """Buckets in a mapped file or in this process's own memory."""

    def __init__(self, memory: "mmap.mmap | bytearray | None" = None, max_capacity: float = 60.0) -> None:
        view = memoryview(bytearray(_SIZE) if memory is None else memory)
        self._identities = view[: BUCKET_SLOTS * 8].cast("Q")
        self._instants = view[BUCKET_SLOTS * 8 : _SIZE].cast("d")
        self._deepest = max_capacity + _BEYOND_SECONDS
        """Longest time in seconds that any bucket takes to fill, and a little more."""

    def take_token(self, bucket: TokenBucket, now: float) -> int:
        """Takes a token. Returns the number of whole tokens left, or -1 if empty (nothing is taken)."""
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

    def give_back(self, bucket: TokenBucket, now: float) -> None:
        """Undoes one `take_token`."""
        self._instants[self.find(bucket, now)] -= bucket.rate.interval

    def find(self, bucket: TokenBucket, now: float) -> int:
        """The slot of a bucket; a free or full slot is assigned if it has none."""
        home = bucket.identity % BUCKET_SLOTS
        slots = [slot % BUCKET_SLOTS for slot in range(home, home + _PROBES)]
        for slot in slots:
            if self._identities[slot] == bucket.identity:
                bucket.slot = slot
                return slot
        bucket.slot = min(slots, key=lambda slot: self._seconds_until_full(slot, now))
        self._identities[bucket.slot] = bucket.identity
        self._instants[bucket.slot] = 0.0
        return bucket.slot

    def _seconds_until_full(self, slot: int, now: float) -> float:
        """Seconds until a slot may be reused; 0 if it is free or its bucket is full."""
        ahead = self._instants[slot] - now
        return ahead if self._identities[slot] and 0 < ahead <= self._deepest else 0.0


def map_shared_file(path: Path) -> "mmap.mmap | None":
    """Maps the file at `path`, creating it if missing; returns None, with a warning, on failure."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
            _allocate_file(file)
            return mmap.mmap(file.fileno(), _SIZE)
    except (OSError, ValueError):
        _LOGGER.warning(
            "%s cannot be shared between processes: each process limits bursts separately", path, exc_info=True
        )
        return None


def _allocate_file(file: BinaryIO) -> None:
    """Writes the file to its full size: a mapped page without disk space would kill the process.

    Workers start at the same moment, so a lock serialises them. The file is never replaced, or processes that
    mapped it earlier would no longer share it.
    """
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        missing = _SIZE - file.seek(0, os.SEEK_END)
        if missing > 0:
            file.write(bytes(missing))
            file.flush()
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)  # explicit: the mapping keeps the file, and so the lock, open
