"""What a release says of itself: manifest, freshness, run log; and which releases are kept.

Does not belong here: building one (`warehouse.publish`), or reading its content (`warehouse.reader`).
"""
