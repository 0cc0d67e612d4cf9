"""Models of venues: the Dirichlet-process mixtures of the 2008 paper, and the resolver that works on today's data.

words, edit         how a canonical string is distorted into an observed one
items               mentions as what the samplers seat: a string and the words of a title
state, titles       clusters, their canonical strings and their title words
gibbs, canonical, split_merge, special_words, hyper     the moves
chain               which moves make up a sweep of each model
published           the resolvers `venues-dpv`, `venues-dpvt` and `venues-dpvsw`
simulate            data drawn from the model
"""
