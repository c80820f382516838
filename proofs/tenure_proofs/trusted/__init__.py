"""What a reader must believe without proof; ASSUMPTIONS.md lists it."""
