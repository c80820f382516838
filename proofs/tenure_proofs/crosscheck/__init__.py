"""A second lifter, to check the one that is believed: it runs functions along every path."""
