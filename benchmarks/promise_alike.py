"""Whether labelled rows drawn with a shift are told from others, and whether it matters if not."""

import json

import numpy as np
from promise_shifts import KINDS, encoded, shifted_draw
from sklearn.ensemble import ExtraTreesClassifier

from surelabel.bench.folder_tables import read_draw
from surelabel.bench.table_suites import TEXT_TABLES
from surelabel.filling.likeness import likeness

# Tables whose free text is expensive to encode for every test.
LEFT_OUT = tuple(name for name in TEXT_TABLES if name not in ("hawks", "storms"))
_MOST_ROWS = 2000


def split_of(name, n, draw, kind, folder):
    """The split of a run: with a planted shift, or at random."""
    if kind is None:
        return read_draw(name, draw, folder, labelled=n)
    return shifted_draw(kind, name, draw, folder, labelled=n)


def p_value(split):
    """How likely rows labelled at random would differ as much, as `likeness` says."""
    pool = split.X_u.sample(min(len(split.X_u), _MOST_ROWS), random_state=0)
    labelled, others = encoded(split.X_l, pool)
    forest = ExtraTreesClassifier(60, min_samples_leaf=2, random_state=0)
    names = [str(k) for k in range(labelled.shape[1])]
    return likeness(labelled, others, names, codes=split.y_l, classifier=forest).p_value


class Kept:
    """p-values by run, in a file; those that are there are not computed again."""

    def __init__(self, path, folder, compute=True):
        self.path, self.folder, self.compute = path, folder, compute
        self.known = json.loads(path.read_text()) if path.exists() else {}

    def __call__(self, name, n, draw, kind):
        """The p-value of a run; None where it is not there and not to be computed."""
        key = f"{name}-{n}-{draw}-{kind or 'none'}"
        if key not in self.known and self.compute:
            self.known[key] = round(p_value(split_of(name, n, draw, kind, self.folder)), 5)
            self.path.write_text(json.dumps(self.known, indent=0))
        return self.known.get(key)


def alike_report(found):
    """Print and give shares of runs by kind of shift and labels.

    Parameters
    ----------
    found : dict
        (table, labels, draw, kind) -> (p-value, whether the promise on average was broken, with confidence).
    """
    written = {}
    print("\nlabelled rows drawn with a shift, odds 9 to 1")
    print(
        "| shift | labels | runs | caught | average 95% broken, not caught | confident broken, not caught |"
    )
    print("|---|---|---|---|---|---|")
    for kind in (None, *KINDS):
        for n in sorted({key[1] for key in found}):
            lines = [line for key, line in found.items() if key[1] == n and key[3] == kind]
            if not lines:
                continue
            caught = np.array([line[0] <= 0.05 for line in lines])
            average, confident = np.array([line[1:] for line in lines]).T
            line = {
                "runs": len(lines),
                "caught": float(caught.mean()),
                "average broken": float(average.mean()),
                "average broken, not caught": float((average & ~caught).mean()),
                "confident broken": float(confident.mean()),
                "confident broken, not caught": float((confident & ~caught).mean()),
            }
            written[f"{kind or 'none'}, {n}"] = line
            print(
                f"| {kind or 'none (false alarms)'} | {n} | {len(lines)} | {line['caught']:.0%} "
                f"| {line['average broken']:.0%}, {line['average broken, not caught']:.0%} "
                f"| {line['confident broken']:.0%}, {line['confident broken, not caught']:.0%} |"
            )
    return written
