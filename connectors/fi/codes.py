"""Code lists of Finland (`codes/*.csv`): municipalities with their regions, post codes with their municipality."""

from __future__ import annotations

from typing import Final

from connectors.kit.codes import load

MUNICIPALITIES: Final = load("connectors.fi", "municipalities")
POST_CODES: Final = load("connectors.fi", "postcodes")
