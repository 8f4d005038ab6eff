"""rate_limits of api: limiter, token_buckets."""
