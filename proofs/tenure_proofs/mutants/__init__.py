"""Wrong rules that the obligations must tell from the right ones."""
