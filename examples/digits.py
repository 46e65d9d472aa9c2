"""Handwritten digits with 143 labels: fill in the other 1,294 and check them.

Run with `make demo`. The truth is known here, so each round says how many of its labels
are right; with your own data you would not know, and the audit table is what you have.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from surelabel import Unlike, csa, report

OUT = Path("demo")


def main():
    X, y = load_digits(return_X_y=True, as_frame=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
    X_few, X_pool, y_few, y_pool = train_test_split(X_train, y_train, test_size=0.9, random_state=0)
    truth = np.concatenate([y_few, y_pool])
    print(f"{len(X_few)} labelled rows, {len(X_pool)} unlabelled, {len(X_test)} kept for testing\n")

    clf = csa(n_rounds=5, n_jobs=2, random_state=0)
    print("round  unlabelled    sure  labelled  of these right")
    for round in clf.fit_rounds(X_few, y_few, X_unlabeled=X_pool):
        right = int((truth[round.rows] == round.codes).sum())
        print(
            f"{round.number:>5}  {round.pool:>10}  {round.candidates:>6}  {len(round.rows):>8}"
            f"  {right:>6} ({right / max(len(round.rows), 1):.1%})"
        )

    print(f"\nunlabelled rows: {clf.verdict_}")
    print(
        "weight of each model: " + ", ".join(f"{name} {w:.0%}" for name, w in clf.estimator_.weights_.items())
    )
    alone = Unlike(n_jobs=2, random_state=0).fit(X_few, y_few)  # the same committee
    print(f"\ntest accuracy with the labelled rows only: {alone.score(X_test, y_test):.1%}")
    print(f"test accuracy with the unlabelled rows:    {clf.score(X_test, y_test):.1%}")

    OUT.mkdir(exist_ok=True)
    audit = clf.pseudo_labels_.rename_axis("row")
    audit.to_csv(OUT / "digits-labels.csv")
    print("\nwhat became of the unlabelled rows:")
    print(audit["status"].value_counts().to_string())
    print(f"\nlabel, confidence and reason of every row: {OUT / 'digits-labels.csv'}")
    page = report(clf, OUT / "digits-report.html", X=pd.concat([X_few, X_pool]), y_true=truth)
    print(f"the report, for your browser: {page}")


if __name__ == "__main__":
    main()
