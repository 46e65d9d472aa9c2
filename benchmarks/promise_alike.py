"""Whether labelled rows drawn with a shift are told from others, and whether it matters if not."""

import json

import numpy as np
import pandas as pd
from promise_shifts import KINDS, shifted_draw

from surelabel import Labels
from surelabel.bench.folder_tables import read_draw
from surelabel.bench.table_suites import TEXT_TABLES
from surelabel.reading.columns import Columns
from surelabel.rounds.likeness import labelled_like_others

# Tables whose free text is expensive to encode for every planted shift.
LEFT_OUT = tuple(name for name in TEXT_TABLES if name not in ("hawks", "storms"))
_LEVEL = 0.05


def split_of(name, n, draw, kind, folder):
    """The split of a run: with a planted shift, or at random."""
    if kind is None:
        return read_draw(name, draw, folder, labelled=n)
    return shifted_draw(kind, name, draw, folder, labelled=n)


def p_value(split):
    """How likely rows labelled at random would differ as much, by the test that every fit makes."""
    n = len(split.y_l)
    table = Columns().fit_transform(pd.concat([split.X_l, split.X_u], ignore_index=True))
    codes = np.concatenate([split.y_l, np.full(len(split.X_u), -1)])
    labels = Labels.start(codes, n_classes=split.y_l.max() + 1)
    told = labelled_like_others(table, labels, np.arange(n), np.random.RandomState(split.seed))
    return 1.0 if told is None else told[0].p_value


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
        (table, labels, draw, kind) -> (p-value, whether the promise on average was broken, with confidence);
        the last two are None where that run was not made.
    """
    written = {}
    print("\nlabelled rows drawn with a shift, odds 9 to 1")
    print("| shift | labels | runs | caught | missed tables | broken, not caught (with confidence) |")
    print("|---|---|---|---|---|---|")
    for kind in (None, *KINDS):
        for n in sorted({key[1] for key in found}):
            here = {key: line for key, line in found.items() if key[1] == n and key[3] == kind}
            if here:
                line = _caught(here) | _broken(list(here.values()))
                written[f"{kind or 'none'}, {n}"] = line
                print(
                    f"| {kind or 'none (false alarms)'} | {n} | {line['runs']} | {line['caught']:.0%} "
                    f"| {', '.join(line['not caught'])} | {_shown(line)} |"
                )
    return written


def _caught(here):
    caught = [p <= _LEVEL for p, *_ in here.values()]
    missed = sorted({key[0] for key, found in zip(here, caught, strict=True) if not found})
    return {"runs": len(here), "caught": float(np.mean(caught)), "not caught": missed}


def _broken(lines):
    made = [line for line in lines if line[1] is not None]
    if not made:
        return {"runs made": 0}
    caught = np.array([line[0] <= _LEVEL for line in made])
    average, confident = np.array([line[1:] for line in made]).T
    return {
        "runs made": len(made),
        "average broken": float(average.mean()),
        "average broken, not caught": float((average & ~caught).mean()),
        "confident broken": float(confident.mean()),
        "confident broken, not caught": float((confident & ~caught).mean()),
    }


def _shown(line):
    if not line["runs made"]:
        return ""
    return (
        f"{line['average broken']:.0%}, {line['average broken, not caught']:.0%} "
        f"({line['confident broken']:.0%}, {line['confident broken, not caught']:.0%})"
    )
