"""NewsWeb, Oslo Børs's announcements: news, reports, and major holdings (flagging)."""
