"""KEP-8826 over arrays: who pays for heroes, the tree that results, and how a hero finds targets."""
