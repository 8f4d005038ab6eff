"""Filters of subscriptions: what clients send, how they are stored, and the one rule by which an event passes them."""
