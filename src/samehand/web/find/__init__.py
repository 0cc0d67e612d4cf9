"""What pages and interfaces read from a library: short, paged queries that stay quick at a million mentions."""
