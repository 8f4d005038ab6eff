"""Feeds of the wires GlobeNewswire, PR Newswire and Business Wire, filtered for each market."""
