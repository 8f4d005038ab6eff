"""The page that shows one company in a frame of another program: no script, nothing from elsewhere.

See docs/contract/contract.md 4.8e. Does not belong here: pages of the dashboard (`api.dashboard.pages`).
"""

from base64 import b64encode
from hashlib import sha256
from html import escape
from typing import Final

from api.reconcile.company_values import CompanyValues, value_texts
from api.reconcile.vocabulary import PROPERTIES

_STYLE: Final = (
    "body{font:14px/1.4 sans-serif;margin:12px;color:#1b1b1b;background:#fff}h1{font-size:16px;margin:0 0 8px}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 12px;margin:0}dt{color:#555}dd{margin:0}"
)
_DIGEST: Final = b64encode(sha256(_STYLE.encode()).digest())
HEADERS: Final = (
    (b"content-type", b"text/html; charset=utf-8"),
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'sha256-" + _DIGEST + b"'; base-uri 'none'; form-action 'none'; "
        b"frame-ancestors *; sandbox",
    ),
    (b"referrer-policy", b"no-referrer"),
)
"""The page may be framed by any other, as that is its use; it holds nothing to click on."""
_SHOWN: Final = (
    *("number", "country", "status", "legal_form"),
    *("municipality", "industry_label", "registered_date", "lei"),
)


def preview_page(values: CompanyValues) -> bytes:
    """The page of a company that is known."""
    name = escape(value_texts(values.of(PROPERTIES["name"]))[0])
    rows = "".join(
        f"<dt>{escape(PROPERTIES[one].name)}</dt><dd>{escape(', '.join(texts))}</dd>"
        for one in _SHOWN
        if (texts := value_texts(values.of(PROPERTIES[one])))
    )
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{name}</title><style>{_STYLE}</style></head>"
        f"<body><h1>{name}</h1><dl>{rows}</dl></body></html>"
    ).encode()
