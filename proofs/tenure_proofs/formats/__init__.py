"""A report in the forms that other programs ask for."""
