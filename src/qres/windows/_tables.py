"""The hidden features of a network at fixed points of the box: one pass of jets for windows of all lengths."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from qres.jets import Truncation
from qres.least_squares import feature_columns
from qres.networks import Network

Rates = Float[np.ndarray, " indices"]


class Table:
    """Taylor coefficients of all features, and of the constant one after them, at points of the box.

    A window whose time runs `rate` times as fast as that of the box has these coefficients times a power of the rate.

    Args:
        network: of one hidden layer.
        truncation: which coefficients.
        points: of the box.
    """

    def __init__(self, network: Network, truncation: Truncation, points: Float[np.ndarray, "d n"]) -> None:
        self.points, count = points, len(truncation)
        width, n = network.architecture.width, points.shape[1]
        each = np.broadcast_to(np.eye(count)[:, :, None], (count, count, n))
        found = np.zeros((count, width, n))
        feature_columns(network, truncation, points, each, list(found))
        one = np.zeros((count, 1, n))
        one[0] = 1.0
        self._values = np.concatenate([found, one], axis=1)

    def outputs(
        self, weights: Float[np.ndarray, "fields columns"], rates: Rates
    ) -> Float[np.ndarray, "fields indices n"]:
        """The coefficients of sums of the features."""
        return np.stack(
            [rate * (weights @ one) for rate, one in zip(rates, self._values, strict=True)], axis=1
        )

    def columns(
        self, slopes: Float[np.ndarray, "fields indices n"], rates: Rates
    ) -> Float[np.ndarray, "fields columns n"]:
        """What each weight of each field adds to a residual that has these slopes in the coefficients."""
        found = np.zeros((len(slopes), *self._values.shape[1:]))
        for own, slope in zip(found, slopes, strict=True):
            for rate, one, at in zip(rates, self._values, slope, strict=True):
                if np.any(at):
                    own += (rate * at) * one
        return found
