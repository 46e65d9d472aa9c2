"""
Given labels that look wrong
============================

People mislabel. Every given label was held out once at fit, and predicted by models that had not seen it: those that disagree
most are worth a second look.
"""

# %%
# Some labels are wrong
# ---------------------
# Handwritten digits. Of 450 labels, we change 20 to another digit.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from surelabel import Repeated, csa
from surelabel.model_selection import hide_labels

X, truth = load_digits(return_X_y=True)
X, truth = X[:900] / 16, truth[:900]
y = hide_labels(truth, 0.5, random_state=0)
rng = np.random.default_rng(0)
changed = rng.choice(np.flatnonzero(y >= 0), 20, replace=False)
y[changed] = (y[changed] + rng.integers(1, 10, len(changed))) % 10

committee = Repeated(LogisticRegression(C=10, max_iter=500), 5, over="bootstrap")  # small, for speed
clf = csa(committee=committee, n_rounds=2, random_state=0).fit(X, y)

# %%
# The most doubtful first
# -----------------------
# ``against`` names the nearest labelled rows that have the suggested label.

doubts = clf.doubtful_labels(X)
doubts.head(8).round(3)

# %%
# How many are wrong, as far as can be told? The interval is careful, since classes that overlap look like wrong labels. One that
# begins at 0 does not say that all labels are right: 20 of these are wrong.

print(doubts.attrs["expected"])

# %%
# Look at them
# ------------

fig, axes = plt.subplots(2, 6, figsize=(8, 3.4))
for ax, (row, line) in zip(axes.flat, doubts.head(12).iterrows(), strict=True):
    ax.imshow(X[row].reshape(8, 8), cmap="Greys")
    ax.set_title(f"given {line['label']}, rather {line['suggestion']}?", fontsize=8)
    ax.axis("off")
fig.tight_layout()

# %%
# How soon are they found?
# ------------------------
# Here it is known which were changed. A person who goes down the list finds them early; in any other order, late.

found = np.cumsum(np.isin(doubts["row"], changed))
looked = np.arange(1, len(found) + 1)
fig, ax = plt.subplots(figsize=(7, 3.2))
ax.plot(looked, found, color="#3b82c4", lw=2, label="most doubtful first")
ax.plot(looked, looked * len(changed) / len(found), color="#8a8f98", ls="--", label="any order")
ax.set(xlabel="labels looked at", ylabel="wrong ones found", xlim=(0, 200))
ax.legend(frameon=False)
fig.tight_layout()
print(f"{found[19]} of {len(changed)} wrong labels are among the first 20, {found[39]} among the first 40")

# %%
# Correct, and fit again
# ----------------------
# Nothing is changed by itself: a rare but right label looks the same as a wrong one. What you say of a row replaces its label.

first = doubts.index[:40]
corrected = csa(committee=committee, n_rounds=2, random_state=0)
corrected = corrected.learn(first, truth[first]).fit(X, y)
hidden = y == -1
for name, fitted in {"before": clf, "after": corrected}.items():
    print(
        f"{name}: {np.mean(fitted.predict(X[hidden]) == truth[hidden]):.1%} of the unlabelled rows predicted correctly"
    )

# %%
# What to do next
# ---------------
# - Go down the list until several labels in a row are right. With many wrong ones, fit again and look once more.
# - The same on the command line: ``surelabel doubts run/ -o doubts.csv``; in the browser, the pile "Doubts" of ``surelabel review run/``.
# - Labels that are wrong in a regular way, such as one class always called another, are not found: no label says otherwise.
