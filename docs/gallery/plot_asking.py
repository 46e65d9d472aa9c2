"""
Which rows to label next
========================

You have an hour to label rows by hand. Some rows teach more than others; a few drawn at random tell how good the labels are.
"""

# %%
# A table with few labels
# -----------------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression

from surelabel import Repeated, csa
from surelabel.model_selection import hide_labels

X, truth = load_digits(return_X_y=True)
X, truth, X_new, truth_new = X[:700] / 16, truth[:700], X[700:] / 16, truth[700:]
y = hide_labels(truth, 0.9, random_state=0)
committee = Repeated(LogisticRegression(C=10, max_iter=500), 5, over="bootstrap")  # small, for speed
clf = csa(committee=committee, n_rounds=2, random_state=0).fit(X, y)
print(f"{(y >= 0).sum()} labels. {clf.fill(right=0.9)}")

# %%
# Twenty rows to ask about
# ------------------------
# Each comes with a reason.

ask = clf.next_rows(X, n=20)
ask[["guess", "probability", "runner_up", "pile", "expected"]].round(2)

# %%
# Where they lie: those that the committee cannot decide are where classes meet, one of each group of rows that are alike.

flat = PCA(2, random_state=0).fit_transform(X)
fig, ax = plt.subplots(figsize=(6, 4.2))
ax.scatter(*flat.T, s=6, color="#c9ced6")
for pile, color in {"typical": "#2f9e63", "unsure": "#d9534f", "random": "#3b82c4"}.items():
    rows = ask.loc[ask["pile"] == pile, "row"]
    if len(rows):
        ax.scatter(*flat[rows].T, s=45, color=color, label=f"{pile}: {len(rows)}")
ax.set(xticks=[], yticks=[], title="Rows to label next")
ax.legend(frameon=False)
fig.tight_layout()

# %%
# Answer, and go on
# -----------------
# ``learn`` keeps the answers, and every later fit has them. Here the truth answers for the person. Beside it, the same number
# of rows drawn at random. Both are judged by other digits: whoever is asked about a hard row knows that one afterwards.

order = np.random.default_rng(0).permutation(np.flatnonzero(y == -1))
asked, drawn = clf, csa(committee=committee, n_rounds=2, random_state=0)
by_asking, by_chance = [clf.score(X_new, truth_new)], [clf.score(X_new, truth_new)]
for step in range(3):
    rows = asked.next_rows(X, n=20).index
    asked = asked.learn(rows, truth[rows]).fit(X, y)
    rows = order[20 * step : 20 * (step + 1)]
    drawn = drawn.learn(rows, truth[rows]).fit(X, y)
    by_asking.append(asked.score(X_new, truth_new))
    by_chance.append(drawn.score(X_new, truth_new))

answers = 20 * np.arange(4)
fig, ax = plt.subplots(figsize=(6, 3.2))
ax.plot(answers, by_asking, "o-", color="#d9534f", label="next_rows")
ax.plot(answers, by_chance, "o--", color="#8a8f98", label="rows drawn at random")
ax.set(xlabel="answers", ylabel="new rows predicted correctly", xticks=answers)
ax.legend(frameon=False)
fig.tight_layout()

# %%
# One table and one draw prove nothing; the page on asking has several tables, those where it did not help among them.
#
# What may be said of the labels
# ------------------------------
# Rows that were chosen because they are hard do not stand for the others. So answers teach, but labels are judged by the rows
# that were labelled before. Where labelled rows differ much from the others, nothing is promised, and the sentence says so.

filling = asked.fill(right=0.9)
print(filling)
print(f"It stands on {filling.n_labelled} of {(asked.labeled_iter_ == 0).sum()} labelled rows.")

# %%
# What to do next
# ---------------
# - Ask for 20 rows at a time, answer, fit again; stop when the answers no longer change what is predicted.
# - For a promise, have some rows labelled that were drawn at random, and put their labels into ``y``.
# - In the browser, with one key for each class: ``surelabel review run/``, or ``surelabel.review(clf, X)`` in a notebook.
# - By file: ``surelabel next run/ -n 20 -o ask.csv``.
