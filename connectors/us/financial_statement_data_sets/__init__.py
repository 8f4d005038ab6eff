"""Financial Statement Data Sets, the SEC's quarterly files of figures reported in XBRL."""
