"""What can be promised: the paper's two theorems as functions, as printed and as they hold.

`means` has Theorem 1 (how well found labels estimate the class means), `votes` Theorem 2 (how
often the vote of a committee errs), `simulate` the set-up of Theorem 1, and `fitted` reads both
from a classifier. The derivations are in docs/theory.md.
"""

from .distances import total_variation, wasserstein
from .fitted import committee_votes, estimated_setting
from .means import (
    error_for,
    mean_bound,
    mean_probability,
    printed_probability,
    repaired_probability,
    rows_needed,
    selection_shift,
    sharp_probability,
)
from .records import MeanBound, VoteBound
from .setting import MeanSetting
from .simulate import simulated_errors
from .votes import (
    binomial_bound,
    first_order_bound,
    ipm_bound,
    kl_inverse,
    masegosa_bound,
    printed_ipm_bound,
    tandem_bound,
    tandem_loss,
    vote_bounds,
)

__all__ = [
    "MeanBound",
    "MeanSetting",
    "VoteBound",
    "binomial_bound",
    "committee_votes",
    "error_for",
    "estimated_setting",
    "first_order_bound",
    "ipm_bound",
    "kl_inverse",
    "masegosa_bound",
    "mean_bound",
    "mean_probability",
    "printed_ipm_bound",
    "printed_probability",
    "repaired_probability",
    "rows_needed",
    "selection_shift",
    "sharp_probability",
    "simulated_errors",
    "tandem_bound",
    "tandem_loss",
    "total_variation",
    "vote_bounds",
    "wasserstein",
]
