"""Settings of the mail server for notices and sign-in links. Does not belong here: sending (`api.email.smtp`)."""

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic_settings import SettingsConfigDict

from api.settings.parsers import parse_mailbox
from warehouse.settings.area import AreaSettings, from_text


class MailSettings(AreaSettings):
    """Mail."""

    model_config = SettingsConfigDict(env_prefix="FIRM_SMTP_")

    host: str = Field(
        default="",
        description="Mail server for notices to owners of accounts; empty: notices go to the log, and links to sign "
        "in to the dashboard nowhere.",
    )
    port: int = Field(default=587, ge=1, le=65_535, description="Port of the mail server.")
    security: Annotated[Literal["starttls", "tls", "none"], BeforeValidator(str.lower)] = Field(
        default="starttls", description="starttls, tls (from the first byte) or none."
    )
    username: str = Field(default="", description="Empty: no login.")
    password: str = Field(default="", repr=False, description="Password of that user.")
    sender: Annotated[str, from_text(parse_mailbox)] = Field(
        default="webhooks@localhost", description="Sender, as webhooks@example.com or Example <webhooks@example.com>."
    )

    @model_validator(mode="after")
    def _check_login(self) -> Self:
        if self.username and self.security == "none":
            raise ValueError(
                "FIRM_SMTP_SECURITY=none would send the password of FIRM_SMTP_USERNAME unencrypted: "
                "use starttls or tls, or leave the username empty"
            )
        return self
