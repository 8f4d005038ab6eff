"""What may go wrong between this machine and the store, each with what to do. Loads nothing.

RemoteFailed
├── StoreFailed   the store did not do what it was asked for, in spite of repeating
├── Missing       there is nothing under a key
├── Damaged       what came is not what was put there
├── Overtaken     another machine has written in the meantime
└── Parted        this machine's state and the store's are not of one line
"""


class RemoteFailed(RuntimeError):  # noqa: N818 - named for what happened
    """Any of these."""


class StoreFailed(RemoteFailed):
    """The store did not do what it was asked for, in spite of repeating; the message says what to look at."""


class Missing(RemoteFailed):
    """There is nothing under a key: it was never written, or something newer has taken its place."""


class Damaged(RemoteFailed):
    """What came from the store is not what was put there; the message says what to do."""


class Overtaken(RemoteFailed):
    """Another machine has written in the meantime; nothing of ours is seen, and the next run takes it up."""


class Parted(RemoteFailed):
    """This machine's state is not that of the store; the message says what to do."""
