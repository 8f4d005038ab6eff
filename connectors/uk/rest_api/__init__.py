"""Companies House's REST API: profile, filing history and insolvency of single companies."""
