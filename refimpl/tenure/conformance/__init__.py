"""Tenure as an oracle for other programs: the JSON-lines protocol and the published vectors."""
