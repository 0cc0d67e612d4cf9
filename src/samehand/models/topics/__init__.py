"""Topics of papers, from the words of their titles and venues: latent Dirichlet allocation.

The author models of 2012 and 2013 compare mentions by the topics of their papers, "LDA topics with
probability above 0.1". `fit` learns them from a collection of papers; `Topics.infer` finds those of any paper.
"""

from samehand.models.topics.lda import Topics, fit

__all__ = ["Topics", "fit"]
