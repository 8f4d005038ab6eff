"""Settings of the mail server for notices and sign-in links. Does not belong here: sending (`api.email.smtp`)."""

from dataclasses import dataclass, field

from api.settings.env import EnvReader, SettingError


@dataclass(frozen=True, slots=True)
class MailSettings:
    """Mail settings. Environment names are FIRM_SMTP_ and the upper-case field name."""

    host: str = ""
    """SMTP host; empty: notices go to the log only, and sign-in links are not sent."""

    port: int = 587
    """SMTP port."""

    security: str = "starttls"
    """`starttls`, `tls` (from the first byte) or `none`."""

    username: str = ""
    """Empty: no login."""

    password: str = field(default="", repr=False)
    """Never shown."""

    sender: str = "webhooks@localhost"
    """Sender address (FIRM_SMTP_SENDER)."""

    @classmethod
    def read(cls, read: EnvReader) -> "MailSettings":
        default = cls()
        given = cls(
            host=read.text("FIRM_SMTP_HOST", default.host),
            port=read.integer("FIRM_SMTP_PORT", default.port, 1, 65_535),
            security=read.choice("FIRM_SMTP_SECURITY", default.security, ("starttls", "tls", "none")),
            username=read.text("FIRM_SMTP_USERNAME", default.username),
            password=read.text("FIRM_SMTP_PASSWORD", default.password),
            sender=read.mailbox("FIRM_SMTP_SENDER", default.sender),
        )
        if given.username and given.security == "none":
            raise SettingError(
                "FIRM_SMTP_SECURITY=none would send the password of FIRM_SMTP_USERNAME unencrypted: "
                "use starttls or tls, or leave the username empty"
            )
        return given
