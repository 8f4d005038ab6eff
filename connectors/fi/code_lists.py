"""Code lists of Finland (`codes/*.csv`): municipalities with their regions, post codes with their municipality."""

from __future__ import annotations

from typing import Final

from connectors.kit.code_lists import load_code_list

MUNICIPALITIES: Final = load_code_list("connectors.fi", "municipalities")
POST_CODES: Final = load_code_list("connectors.fi", "postcodes")
