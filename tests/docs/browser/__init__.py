"""What a reader's browser makes of the site: a browser, and what is asked of every page."""
