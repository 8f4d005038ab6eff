"""Erasure of companies and holders: tombstones, the steps that remove a subject, and the release without it."""
