"""The delivery log that callers read: deliveries, attempts, retries, replays, test deliveries."""
