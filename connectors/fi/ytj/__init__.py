"""YTJ, Finland's Business Information System of PRH and the tax administration (open data, v3): all companies."""
