"""Bounded reading of XML and HTML: parsing without entities, iteration, text of elements."""
