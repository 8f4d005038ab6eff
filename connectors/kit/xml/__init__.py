"""xml of connectors.kit: element_text, html, iterparse, parse."""
