"""Scoring: how well a clustering agrees with the truth, how sure that is, and where it goes wrong."""

from samehand.evaluate.report import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate"]
