"""Samplers that claim a posterior, against exact enumeration; the one that does not, and by how much."""

from __future__ import annotations

import inspect

import numba
import numpy as np
import pytest
from venues_world import FORMS, LIKENESS, TITLES, WORDS, distance, exact_posterior, make_data, visited

from samehand.infer.random import stream
from samehand.models.venues import chain as chains
from samehand.models.venues import split_merge
from samehand.models.venues.chain import Chain, Settings

SWEEPS = 30_000
CLOSE = 0.045
"""Total variation from the truth: as many independent draws from it would leave 0.03."""
BIASED = 0.08


def run(data, sampler, *, alpha=0.7, beta=2.0, seed=1, sweeps=SWEEPS):
    chain = Chain(data, WORDS, Settings("dpvt", sampler, alpha, beta), stream(seed))
    return distance(visited(chain, sweeps), exact_posterior(data, WORDS, alpha, beta))


@pytest.mark.parametrize("sampler", ["gibbs", "split-merge", "split-merge-alone"])
@pytest.mark.parametrize("titles", [None, TITLES], ids=["dpv", "dpvt"])
def test_exact_samplers_match_enumeration(sampler, titles):
    assert run(make_data(FORMS, LIKENESS, titles), sampler) < CLOSE


@pytest.mark.parametrize("sampler", ["gibbs", "split-merge", "split-merge-alone"])
def test_a_prior_on_canonical_strings_is_obeyed(sampler):
    prior = np.log(np.array([0.1, 0.4, 0.05, 0.3]))
    assert run(make_data(FORMS, LIKENESS, TITLES, prior=prior), sampler) < CLOSE


@pytest.mark.parametrize("sampler", ["gibbs", "split-merge", "split-merge-alone"])
def test_what_a_curator_keeps_apart_stays_apart_and_the_rest_follows_the_posterior(sampler):
    data = make_data(FORMS, LIKENESS, TITLES, apart=((0, 1), (1, 5), (2, 4)))
    assert run(data, sampler) < CLOSE


@pytest.mark.parametrize("titles", [None, TITLES], ids=["dpv", "dpvt"])
def test_almost_gibbs_is_biased(titles):
    assert run(make_data(FORMS, LIKENESS, titles), "almost-gibbs") > BIASED


def broken(name, old, new):
    """`split_merge_sweep` compiled with one passage of a function changed."""
    namespace = dict(vars(split_merge))
    for function in dict.fromkeys((name, "split_merge_sweep")):
        source = inspect.getsource(getattr(split_merge, function).py_func)
        source = source[source.index("def ") :]
        if function == name:
            assert source.count(old) == 1
            source = source.replace(old, new)
        exec(source, namespace)
        namespace[function] = numba.njit(namespace[function])
    return namespace["split_merge_sweep"]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("_merge", "bool(merged + log_q > needed)", "bool(merged > needed)"),
        ("split_merge_sweep", "    accepted = 0\n", "    accepted = 0\n    alpha = 3.0\n"),
    ],
    ids=["merge without q", "wrong alpha"],
)
def test_a_broken_ratio_is_caught(monkeypatch, name, old, new):
    monkeypatch.setattr(chains, "split_merge_sweep", broken(name, old, new))
    assert run(make_data(FORMS, LIKENESS, TITLES), "split-merge-alone") > BIASED
