"""migrations of api.database: env, versions."""
