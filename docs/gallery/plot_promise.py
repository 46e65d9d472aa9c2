"""
How many labels, if 95% must be right?
======================================

Fill in what you can, but at least 95% of what you fill in must be right. The more is to be right, the fewer labels can be
filled in: the curve shows how many.
"""

# %%
# The data
# --------
# Handwritten digits, one in four with its label.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from surelabel import Repeated, csa
from surelabel.model_selection import hide_labels

X, truth = load_digits(return_X_y=True)
X, truth = X[:1200] / 16, truth[:1200]
y = hide_labels(truth, 0.75, random_state=0)
committee = Repeated(LogisticRegression(C=10, max_iter=500), 5, over="bootstrap")  # small, for speed
clf = csa(committee=committee, n_rounds=2, random_state=0).fit(X, y)

# %%
# Ask for a share right
# ---------------------
# Nothing is trained for it: every labelled row was held out once at fit, and judged by models that had not seen its label.

filling = clf.fill(right=0.95)
print(filling)

# %%
# "About" is an estimate, half of it from the probabilities that the committee states: of a committee that is too modest, such as
# a small forest, it may be lower than what is promised.
#
# The labels are on the rows that came without one. Where there is none, a person is to decide.

filling.labels.head(8)

# %%
# Class by class, with intervals. A promise over all labels together may hide a class that is worse than the others.

filling.table[["guessed", "filled", "right", "low", "high"]].round(3)

# %%
# The curve
# ---------
# "On average" holds over tables like this one; "with confidence" holds in this very table, and takes more labels.
# ``clf.plot.promise()`` draws the same for a notebook, to look at with the mouse.

curve = clf.fill_curve(confidence=0.9)
fig, ax = plt.subplots(figsize=(7, 3.6))
ax.step(curve.right, curve.estimated / curve.m, where="post", color="#8a93a3", ls="--", label="estimated")
ax.step(curve.right, curve.average / curve.m, where="post", color="#3b82c4", label="promised on average")
ax.step(
    curve.right,
    curve.confident / curve.m,
    where="post",
    color="#2f9e63",
    label="promised with 90% confidence",
)
ax.plot(filling.right, filling.n_filled / curve.m, "o", color="black", label="asked above")
ax.set(xlim=(0.8, 1), ylim=(0, 1.03), xlabel="share that is to be right", ylabel="labels filled in")
ax.legend(frameon=False, loc="lower left")
fig.tight_layout()

chart = clf.plot.promise(right=0.95)

# %%
# Was it kept?
# ------------
# Here the truth is known. One table may be a little below what holds on average.

hidden = truth[filling.labels.index]
for right in (0.9, 0.95, 0.99):
    for confidence in (None, 0.9):
        asked = clf.fill(right, confidence)
        has = asked.labels.notna().to_numpy()
        kept = f"{np.mean(asked.labels[has] == hidden[has]):.1%} of them right" if has.any() else "no promise"
        how = "on average" if confidence is None else "with 90% confidence"
        print(f"at least {right:.0%} {how:20}: {asked.n_filled:4} filled in, {kept}")

# %%
# What to do next
# ---------------
# - Ask once, for the share that you need, and use that answer: who tries many and takes the best has no promise.
# - ``fill(right=0.95, per_class=True)`` promises it of each class that is filled in.
# - It holds if the labelled rows are a random sample of the table. If easy rows were labelled first, label some at random.
# - On the command line: ``surelabel label table.csv --target topic --right 0.95``, then ``surelabel fill run/ --right 0.99``.
