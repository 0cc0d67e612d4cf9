def evaluate() -> None:
    """Placeholder until written."""
