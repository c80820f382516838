"""KEP-8826: what heroes change about quota, and how they find targets."""
