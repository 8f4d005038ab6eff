"""SCB's general register of enterprises (allmänna företagsregistret), by its API: the whole register, page by page."""
