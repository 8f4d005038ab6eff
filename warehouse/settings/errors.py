"""The error of an invalid setting; imports nothing, for commands that read no settings catch it too."""


class SettingError(ValueError):
    """A setting is invalid; the message says which, its value unless it is a secret, and what to write."""
