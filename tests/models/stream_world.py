"""A small world for the tests of the stream model: direct formulas, and exact posteriors by enumeration."""

from __future__ import annotations

import numpy as np
from scipy.stats import multivariate_t

MEAN, SIGMA, KAPPA, FREEDOM = np.array([0.3, -0.2]), np.array([[1.0, 0.3], [0.3, 0.7]]), 0.5, 4.5
ALPHA = 1.3
KNOWN = np.array([[0.0, 0.2], [0.4, 0.1], [2.5, -1.0]])
KNOWN_LABELS = np.array([0, 0, 1])
STREAM = np.array([[0.9, 0.0], [-1.6, 1.2], [-1.2, 1.0], [1.8, -0.6]])


def direct_parameters(records, mean, sigma, kappa, freedom):
    """Degrees of freedom, mean and scale of the predictive by the formula of the paper, from scratch."""
    n, width = len(records), len(mean)
    nu = n + freedom + 1 - width
    if n == 0:
        return nu, mean, (kappa + 1) / (kappa * nu) * sigma
    average = records.mean(axis=0)
    scatter = (records - average).T @ (records - average)
    apart = np.outer(mean - average, mean - average)
    inner = sigma + scatter + n * kappa / (n + kappa) * apart
    return nu, (n * average + kappa * mean) / (n + kappa), (n + kappa + 1) / ((n + kappa) * nu) * inner


def direct_log_density(record, records, mean=MEAN, sigma=SIGMA, kappa=KAPPA, freedom=FREEDOM):
    """The log predictive density by scipy."""
    nu, centre, scale = direct_parameters(
        np.asarray(records).reshape(-1, len(mean)), mean, sigma, kappa, freedom
    )
    return float(multivariate_t(centre, scale, df=nu).logpdf(record))


def enumerate_histories(records=STREAM, answers=None):
    """Every label history of the stream -> (exact posterior, probability under one pass of Gibbs).

    `answers` maps a record's number to the label that a curator gave it.
    """
    known = int(KNOWN_LABELS.max()) + 1
    found = {}

    def extend(history, log_joint, log_pass):
        number = len(history)
        if number == len(records):
            found[history] = (log_joint, log_pass)
            return
        classes = {label: KNOWN[label == KNOWN_LABELS] for label in range(known)}
        for place, label in enumerate(history):
            classes[label] = np.vstack([classes.get(label, np.empty((0, 2))), records[place]])
        classes.setdefault(known + number, np.empty((0, 2)))
        logs = {
            label: np.log(len(members) or ALPHA)
            - np.log(ALPHA + len(KNOWN) + number)
            + direct_log_density(records[number], members)
            for label, members in classes.items()
        }
        total = np.logaddexp.reduce(list(logs.values()))
        for label, log in logs.items():
            if answers is None or answers.get(number, label) == label:
                extend((*history, label), log_joint + log, log_pass + log - total)

    extend((), 0.0, 0.0)
    joint = np.array([value[0] for value in found.values()])
    posterior = np.exp(joint - np.logaddexp.reduce(joint))
    return {
        history: (float(share), float(np.exp(log_pass)))
        for (history, (_, log_pass)), share in zip(found.items(), posterior, strict=True)
    }


def distance(exact, observed):
    """Total variation between two distributions given as dictionaries."""
    return 0.5 * sum(abs(exact.get(key, 0.0) - observed.get(key, 0.0)) for key in {*exact, *observed})
