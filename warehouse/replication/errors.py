"""Replication errors, each with advice on what to do. Imports nothing heavy.

ReplicationError
├── ObjectStoreError      a request to the store failed, in spite of retries
├── LeaseDatabaseError    the database of leases cannot be used, or there is none
├── MissingObjectError    there is no object under a key
├── CorruptObjectError    received bytes do not match their hash
├── LostRaceError         another machine has written in the meantime
└── DivergedReplicaError  the states of this machine and of the store have diverged
"""


class ReplicationError(RuntimeError):
    """Base class of replication errors."""


class ObjectStoreError(ReplicationError):
    """A request to the store failed, in spite of retries; the message says what to check."""


class LeaseDatabaseError(ReplicationError):
    """The database of leases cannot be used, or none is set; the message says what to check."""


class MissingObjectError(ReplicationError):
    """There is no object under a key: never written, or superseded by a newer one."""


class CorruptObjectError(ReplicationError):
    """An object of the store does not match its hash or format; the message says what to do."""


class LostRaceError(ReplicationError):
    """Another machine wrote first; nothing of ours was published, and the next run continues from theirs."""


class DivergedReplicaError(ReplicationError):
    """The states of this machine and of the store have diverged; the message says what to do."""
