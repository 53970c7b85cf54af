"""FedAvg on one objective, the inner level ``h``: the round of StR-FedAvg with ``eta = 0``."""

from __future__ import annotations

from dataclasses import dataclass, field

from rateproof.algos.methods.strfedavg import PerRun, StRFedAvg


@dataclass(frozen=True, kw_only=True)
class FedAvg(StRFedAvg):
    """FedAvg (McMahan et al. 2017), which StR-FedAvg extends: minimises ``h`` and never evaluates ``f``.

    Parameters as in :class:`StRFedAvg`, without ``eta``; the server averages, unless ``gamma_g`` says otherwise.
    """

    eta: PerRun = field(default=0.0, init=False)
    gamma_g: PerRun = 1.0
