"""How many more labels a promise takes, as predicted, beside what it took."""

from collections import defaultdict

import numpy as np

from surelabel.filling import fill, labels_needed

_SHARES = np.arange(0.1, 0.96, 0.05).round(2)
_CLEARLY = 0.02  # by which a share is above what is filled already


def more_report(evidences, right=0.95):
    """Print and give how far predictions are from the truth.

    The truth is where the mean share filled, over draws of a table, reaches a share, between two numbers of
    labels. Shares that the most labels do not reach are told apart: there the prediction is to be above them.

    Parameters
    ----------
    evidences : dict
        (table, labels, draw) -> Evidence.
    """
    filled = defaultdict(list)
    for (table, n, _), evidence in evidences.items():
        filled[table, n].append(fill(evidence, right).filled.mean())
    ratios, inside, above, unreached = [], [], [], 0
    for (table, n, _), evidence in evidences.items():
        sizes = sorted(size for name, size in filled if name == table)
        reached = np.maximum.accumulate([np.mean(filled[table, size]) for size in sizes])
        now = max(fill(evidence, right).filled.mean(), reached[sizes.index(n)])
        for more in labels_needed(evidence, right, shares=_SHARES):
            if more.share <= now + _CLEARLY:
                continue
            if more.share > reached[-1]:
                unreached += 1
                above.append(more.labels is None or more.labels + n > sizes[-1])
                continue
            truth = np.exp(np.interp(more.share, reached, np.log(sizes))) - n
            labels = np.inf if more.labels is None else more.labels
            ratios.append(labels / truth)
            inside.append(more.between is not None and more.between[0] <= truth <= more.between[1])
    if not ratios:
        return None
    low, middle, high = np.quantile(ratios, [0.1, 0.5, 0.9], method="nearest")
    off = np.abs(np.array(ratios) - 1)
    written = {
        "cases": len(ratios),
        "predicted / true, tenth": float(low),
        "predicted / true, median": float(middle),
        "predicted / true, ninth tenth": float(high) if np.isfinite(high) else None,
        "median of the difference": float(np.median(off)),
        "within 30%": float((off <= 0.3).mean()),
        "inside the interval": float(np.mean(inside)),
        "shares not reached": unreached,
        "of them told": float(np.mean(above)) if above else None,
    }
    print("\nfurther labels, predicted beside true")
    for name, value in written.items():
        print(f"- {name}: {value if value is None or isinstance(value, int) else round(value, 2)}")
    return written
