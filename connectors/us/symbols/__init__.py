"""Symbols and exchanges: the SEC's list of tickers, and Nasdaq Trader's directory of listed securities."""
