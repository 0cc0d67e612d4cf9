"""Parsing one citation string: tokens, a hidden Markov model over segments, and what learns it."""

from samehand.models.citations.parsing.parse import Parse
from samehand.models.citations.parsing.parser import Parser, learn

__all__ = ["Parse", "Parser", "learn"]
