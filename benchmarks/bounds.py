"""The theorems put to the test: simulations of Theorem 1, and bounds on votes where the truth is known.

Run with `make bench-bounds` (about eight minutes on one core for 100 splits), or with
`ARGS="--data-dir DIR --seeds 10 --datasets wdbc,digits"`. Bounds on the paper's tables are appended
to results/bounds.jsonl, a line for each dataset and seed; what is there is not computed again.
Prints tables, writes results/bounds.json and two pictures, results/theory-*.png.

On the tables, a third of the labelled rows is held out. CSA runs one round on the others with ten
members of five trees each; the bounds are computed on the rows held out and compared with the
error on all rows that it has not touched, those and the test rows. Of these the rows held out are a
random sample, so that a bound at 95% may fail in 5 of 100 splits.
"""

import itertools
import json
import warnings
from dataclasses import replace

import altair as alt
import numpy as np
import pandas as pd
from datasets import RESULTS, UNLABELLED, arguments, collect, load, split
from scipy.stats import beta
from sklearn.model_selection import train_test_split

from surelabel import Repeated, csa, trees
from surelabel.bounds import (
    MeanSetting,
    binomial_bound,
    committee_votes,
    error_for,
    estimated_setting,
    mean_probability,
    printed_ipm_bound,
    printed_probability,
    repaired_probability,
    simulated_errors,
    vote_bounds,
)
from surelabel.bounds.means import with_shift
from surelabel.bounds.votes import majority_vote

CONFIDENCE = 0.95
N_DRAWS = 1000
N_MEANS = 10
STATEMENTS = {"printed": printed_probability, "repaired": repaired_probability, "holds": mean_probability}
GRID = {
    "K": (2, 3, 10),
    "d": (1, 20),
    "n": (10, 100, 1000),
    "noise": (0.3, 2.0),
    "correct": (0.3, 0.6, 0.9, 0.99, 1.0),
    "apart": (1.0, 10.0),
    "norm": (1, 2, np.inf),
    "correlation": (0.0, 1.0),
    "wrong": ("farthest", "any"),
}


def setting_of(K, d, n, noise, correct, apart, norm, correlation, wrong):
    """Random means, unequal classes and columns."""
    rng = np.random.default_rng(K * d)
    return MeanSetting(
        counts=np.maximum(n * rng.uniform(0.5, 1.5, K), 1).astype(int),
        variances=noise**2 * rng.uniform(0.5, 1.5, d),
        correct=np.full(K, correct),
        means=apart * rng.normal(size=(K, d)),
        norm=norm,
        correlation=correlation,
    )


def surely_below(count, n, level=1e-7):
    """What a share of count in n draws cannot exceed but by a chance of `level`."""
    return np.where(count == n, 1.0, beta.isf(level, count + 1, np.maximum(n - count, 1e-9)))


def violations(setting, errors):
    """For each statement, by how much it exceeds what was observed, and whether by more than chance."""
    deltas = np.unique(np.quantile(errors, np.linspace(0, 1, 41)) * (1 + 1e-9))
    deltas = np.concatenate([deltas * 0.5, deltas, deltas * 2])
    count = (errors[:, None] <= deltas).sum(axis=0)
    most = surely_below(count, len(errors))
    found = {}
    for name, statement in STATEMENTS.items():
        claimed = statement(setting, deltas)
        found[name] = float((claimed - count / len(errors)).max())
        found[f"{name} violated"] = bool((claimed > most).any())
    return found


def simulations():
    rows = []
    for values in itertools.product(*GRID.values()):
        given = dict(zip(GRID, values, strict=True))
        setting = setting_of(**given)
        errors = simulated_errors(setting, N_DRAWS, wrong=given["wrong"])
        row = given | {"norm": str(given["norm"])} | violations(setting, errors)
        if given["norm"] == 2 and given["wrong"] == "farthest":
            # How much more than what is so is promised.
            row["looseness"] = error_for(setting, CONFIDENCE) / float(np.quantile(errors, CONFIDENCE))
        rows.append(row)
    return rows


def selected(n_pool=2000, n_draws=300):
    """Labels from a classifier that takes rows by their looks, which the theorem does not foresee."""
    rows = []
    for K, d, apart, threshold in itertools.product((2, 4), (2, 10), (1.0, 2.0, 4.0), (0.0, 0.9)):
        rng = np.random.default_rng(0)
        means = apart * rng.normal(size=(K, d)) / np.sqrt(d)
        draws = [_selected_once(means, n_pool, threshold, rng) for _ in range(n_draws)]
        errors, counts, right = (np.array(part) for part in zip(*draws, strict=True))
        if counts.min() < 1:
            continue
        correct = right.sum(axis=0) / counts.sum(axis=0)
        # The worst counts of all draws, as the theorem takes them for given.
        setting = MeanSetting(counts.min(axis=0), np.ones(d), correct, means)
        shifted = with_shift(setting, counts.mean(axis=0) / n_pool, np.full(K, 1 / K))
        row = {"K": K, "d": d, "apart": apart, "threshold": threshold, "correct": float(correct.mean())}
        row |= violations(setting, errors)
        rows.append(row | {"with shift violated": violations(shifted, errors)["holds violated"]})
    return rows


def _selected_once(means, n_pool, threshold, rng):
    K, d = means.shape
    truth = rng.integers(K, size=n_pool)
    X = means[truth] + rng.normal(size=(n_pool, d))
    score = -((X[:, None] - means) ** 2).sum(axis=2) / 2
    p = np.exp(score - score.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    label = np.where(p.max(axis=1) > threshold, p.argmax(axis=1), -1)
    counts = np.bincount(label[label >= 0], minlength=K)
    right = np.bincount(label[label == truth], minlength=K)
    if counts.min() < 1:
        return np.inf, counts, right
    found = np.stack([X[label == k].mean(axis=0) for k in range(K)])
    return np.linalg.norm(found - means, axis=1).sum(), counts, right


def on_table(name, seed, folder, done):
    """Bounds and truth for one split: a record for the vote and, in the first splits, one for the means."""
    kinds = {"votes", "means"} if seed < N_MEANS and name != "agaricus_lepiota" else {"votes"}
    kinds = {kind for kind in kinds if (name, seed, kind) not in done}
    data = load(name, folder) if kinds else None
    if data is None:
        return []
    X, y = data
    rows = np.arange(len(y))
    (labeled, _), (pool, _), (test, _) = split(rows, y, UNLABELLED[name], seed)
    train, held = train_test_split(labeled, test_size=1 / 3, random_state=seed)
    clf = csa(committee=Repeated(trees(5), 10), n_rounds=1, guard=False, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf.fit(_take(X, train), y[train], X_unlabeled=_take(X, pool))
        found = {
            "votes": lambda: _votes(clf, X, y, train, held, test),
            "means": lambda: _means(clf, X, y, train, pool),
        }
        return [{"dataset": name, "seed": seed, "kind": kind} | found[kind]() for kind in sorted(kinds)]


def _means(clf, X, y, train, pool):
    """Theorem 1 as read from the classifier, and the error of the means that it speaks of."""
    X, rows = np.asarray(X, dtype=float), np.append(train, pool)
    found = clf.labeled_iter_ > 0
    known = [c for c in clf.classes_ if (clf.transduction_[found] == c).any()]
    if len(known) < 2:
        return {}
    record = {}
    for source, truth in (("believed", None), ("known", y[rows])):
        setting = estimated_setting(clf, X[rows], truth)
        record |= {f"{source} error_for": error_for(setting, CONFIDENCE)}
        record |= {f"{source} without shift": error_for(replace(setting, shift=0.0), CONFIDENCE)}
    residuals = np.concatenate(
        [X[train][y[train] == c] - X[train][y[train] == c].mean(axis=0) for c in known]
    )
    sd = np.sqrt((residuals**2).sum(axis=0) / (len(residuals) - len(known)))
    errors = [X[rows][found & (clf.transduction_ == c)].mean(axis=0) - X[y == c].mean(axis=0) for c in known]
    return record | {"truth": float(np.linalg.norm(errors / np.where(sd > 0, sd, 1.0), axis=1).sum())}


def _votes(clf, X, y, train, held, test):
    """Theorem 2 and its like for the committee, and its error."""
    votes = {"held": committee_votes(clf, _take(X, held)), "test": committee_votes(clf, _take(X, test))}
    seen = committee_votes(clf, _take(X, train))
    record = {"n_held": len(held), "found": _found(clf)}
    y_all, all_votes = np.append(y[held], y[test]), np.hstack([votes["held"], votes["test"]])
    wrong = votes["held"] != y[held]
    chosen = np.exp(-(wrong.sum(axis=1) - wrong.sum(axis=1).min()))  # weights chosen on the rows held out
    for kind, weights in (("equal", None), ("chosen", chosen)):
        record[f"{kind} truth"] = float((majority_vote(all_votes, weights) != y_all).mean())
        record[f"{kind} test"] = float((majority_vote(votes["test"], weights) != y[test]).mean())
        bounds = vote_bounds(votes["held"], y[held], weights, confidence=CONFIDENCE)
        bounds["printed"] = printed_ipm_bound(wrong, weights, confidence=CONFIDENCE)
        record |= {f"{kind} {bound}": value.bound for bound, value in bounds.items()}
    record["baseline"] = bounds["tandem"].baseline
    best = wrong.sum(axis=1).argmin()  # of ten members, the one that did best on the rows held out
    record["picked truth"] = float((all_votes[best] != y_all).mean())
    record["picked test"] = float((votes["test"][best] != y[test]).mean())
    for name, n_choices in (("held out", 1), ("one of ten", len(wrong))):
        bound = binomial_bound(wrong[best].sum(), len(held), CONFIDENCE, n_choices=n_choices)
        record[f"picked {name}"] = bound.bound
    return record | _on_training_rows(seen, y[train])


def _on_training_rows(votes, y):
    """What the paper does: the same formulas on rows that the members were trained on."""
    bounds = vote_bounds(votes, y, confidence=CONFIDENCE)
    bounds["printed"] = printed_ipm_bound(votes != y, confidence=CONFIDENCE)
    return {f"training {name}": bounds[name].bound for name in ("held out", "tandem", "printed")}


def _found(clf):
    return int((clf.labeled_iter_ > 0).sum())


def _take(X, rows):
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def summary(records):
    """For each dataset and bound: the median bound, how often it failed, how often it said nothing."""
    table = pd.DataFrame([record for record in records if record["kind"] == "votes"])
    table = table.dropna(axis=1, how="all")
    rows = []
    for name, part in table.groupby("dataset", sort=False):
        for kind in ("equal", "chosen", "picked", "training"):
            truth = part[f"{kind.replace('training', 'equal')} truth"]
            test = part[f"{kind.replace('training', 'equal')} test"]
            for column in part.columns[part.columns.str.startswith(f"{kind} ")]:
                bound = column.removeprefix(f"{kind} ")
                if bound in ("truth", "test"):
                    continue
                rows.append(
                    {
                        "dataset": name,
                        "weights": kind,
                        "bound": bound,
                        "n_held": int(part["n_held"].iloc[0]),
                        "splits": len(part),
                        "truth": float(truth.median()),
                        "median": float(part[column].median()),
                        "failed": int((truth > part[column] + 1e-12).sum()),
                        "failed on test rows": int((test > part[column] + 1e-12).sum()),
                        "vacuous": float((part[column] >= part["baseline"]).mean()),
                    }
                )
    return rows


def picture_of_means():
    """Printed, repaired and sharp probability beside the observed one."""
    cases = {
        "2 classes 3 apart, 95% right, 200 rows each": MeanSetting(200, [1.0, 1.0], 0.95, [[0, 0], [3, 0]]),
        "5 classes up to 40 apart, 80% right, 200 rows each": MeanSetting(
            200, [1.0, 1.0], 0.8, 10.0 * np.array([[0, 0], [1, 0], [2, 0], [3, 0], [4, 0]])
        ),
    }
    names = {"printed": "as printed", "repaired": "repaired", "holds": "sharper"}
    charts = []
    for title, setting in cases.items():
        errors = simulated_errors(setting, 5000)
        deltas = np.linspace(0, max(errors.max() * 1.5, setting.bias * 1.6, 4), 300)
        lines = {"observed": (errors[:, None] <= deltas).mean(axis=0)}
        lines |= {names[name]: statement(setting, deltas) for name, statement in STATEMENTS.items()}
        data = pd.DataFrame(lines | {"delta": deltas}).melt("delta", None, "line", "probability")
        charts.append(
            alt.Chart(data, title=title)
            .mark_line()
            .encode(
                alt.X("delta:Q", title="error allowed (summed over classes)"),
                alt.Y("probability:Q", title="probability").scale(domain=[0, 1]),
                alt.Color("line:N", title=None, sort=["observed", *names.values()]),
                alt.StrokeDash("line:N", sort=["observed", *names.values()]).legend(None),
            )
            .properties(width=330, height=220)
        )
    alt.hconcat(*charts).save(RESULTS / "theory-means.png", scale_factor=1.3)


def picture_of_votes(rows):
    """Median bound of each kind and the truth, for each dataset."""
    shown = pd.DataFrame(rows)
    shown = shown[(shown["weights"] == "equal") & (shown["bound"] != "tandem, Masegosa et al.")]
    truth = shown.drop_duplicates("dataset").assign(bound="truth", median=lambda t: t["truth"])
    names = {"truth": "true error", "held out": "held out (binomial)", "tandem": "tandem (kl)"}
    names |= {"first order": "first order (kl)", "IPM": "IPM", "printed": "IPM as printed"}
    data = pd.concat([truth, shown]).assign(bound=lambda t: t["bound"].map(names))
    order = truth.sort_values("n_held")["dataset"].tolist()
    data["table"] = data["dataset"] + " (" + data["n_held"].astype(str) + ")"
    sort = [f"{name} ({n})" for name, n in truth.set_index("dataset").loc[order, "n_held"].items()]
    chart = (
        alt.Chart(data, title="Error of the vote and 95% bounds on it, medians over splits")
        .mark_point(filled=True, size=70)
        .encode(
            alt.X("median:Q", title="share of rows").scale(domain=[0, 1]),
            alt.Y("table:N", title="table (rows held out)", sort=sort),
            alt.Color("bound:N", title=None, sort=list(names.values())),
            alt.Shape("bound:N", sort=list(names.values())).legend(None),
        )
        .properties(width=430, height=260)
    )
    chart.save(RESULTS / "theory-votes.png", scale_factor=1.3)


def count_violations(rows, title):
    print(f"\n{title}: {len(rows)} settings")
    for name in rows[0]:
        if name.endswith(" violated"):
            print(f"  {name}: {sum(row[name] for row in rows)}")
    print(f"  largest excess of the one that holds: {max(row['holds'] for row in rows):.3f}")


def show(votes):
    """Medians for each dataset, then all splits together."""
    equal = votes[votes["weights"] == "equal"]
    medians = equal.pivot(index=["dataset", "n_held", "truth"], columns="bound", values="median")
    together = votes.groupby(["weights", "bound"], sort=False).agg(
        splits=("splits", "sum"),
        failed=("failed", "sum"),
        failed_most=("failed", "max"),
        vacuous=("vacuous", "mean"),
    )
    with pd.option_context(
        "display.width", 200, "display.max_columns", 20, "display.float_format", "{:.3f}".format
    ):
        print(f"\nTheorem 2, equal weights, medians\n{medians}\n\nall tables\n{together}")


def show_means(means):
    """For each dataset the error of the means and what was promised, medians, and how often in vain."""
    columns = ["truth", *(column for column in means if column.startswith(("believed", "known")))]
    table = means.groupby("dataset", sort=False)[columns].median()
    failed = {column: int((means["truth"] > means[column]).sum()) for column in columns[1:]}
    print(f"\nTheorem 1 on tables, {len(means)} splits, medians\n{table.round(2).to_string()}")
    print(f"failed: {failed}")


def main():
    args = arguments(__doc__, seeds=100, jobs=1)
    RESULTS.mkdir(exist_ok=True)
    simulated, chosen = simulations(), selected()
    count_violations(simulated, "Theorem 1 in its own set-up")
    for norm in ("1", "2", "inf"):
        for correct in GRID["correct"]:
            part = [row for row in simulated if row["norm"] == norm and row["correct"] == correct]
            violated = sum(row["printed violated"] for row in part)
            print(f"  printed, norm {norm}, {correct:.0%} right: {violated} of {len(part)} violated")
    for rho in GRID["correlation"]:
        loose = [row["looseness"] for row in simulated if "looseness" in row and row["correlation"] == rho]
        print(f"  error_for / quantile, correlation {rho}: {np.quantile(loose, [0, 0.5, 1]).round(2)}")
    count_violations(chosen, "Theorem 1, rows chosen by their looks")
    records = collect(on_table, "bounds", args, "kind")
    votes, means = summary(records), [record for record in records if "believed error_for" in record]
    results = {"simulated": simulated, "selected": chosen, "votes": votes, "means": means}
    (RESULTS / "bounds.json").write_text(json.dumps(results, indent=1))
    picture_of_means()
    if votes:
        picture_of_votes(votes)
        show(pd.DataFrame(votes))
        show_means(pd.DataFrame(means))
    print(f"\n{RESULTS / 'bounds.json'}, {RESULTS / 'theory-means.png'}, {RESULTS / 'theory-votes.png'}")


if __name__ == "__main__":
    main()
