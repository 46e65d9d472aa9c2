"""
Digits, round by round
======================

Handwritten digits, one in ten with its label: how labels spread over the rounds, and which digits wait.
"""

# %%
# The data
# --------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from surelabel import Repeated, csa, trees
from surelabel.model_selection import hide_labels

X, truth = load_digits(return_X_y=True)
X, truth = X[:900], truth[:900]
y = hide_labels(truth, 0.9, random_state=0)
clf = csa(committee=Repeated(trees(60), 8), guard=False, random_state=0)

# %%
# One round at a time
# -------------------
# ``fit_rounds`` is a generator: look at each round, stop when you like.

for round in clf.fit_rounds(X, y):
    print(round)

# %%
# Where labels are found
# ----------------------

flat = PCA(2, random_state=0).fit_transform(X)
fig, axes = plt.subplots(1, 3, figsize=(10, 3.4), sharex=True, sharey=True)
moments = {"given": 0, "after round 1": 1, f"after round {len(clf.history_)}": len(clf.history_)}
for ax, (name, most) in zip(axes, moments.items(), strict=True):
    known = (clf.labeled_iter_ >= 0) & (clf.labeled_iter_ <= most)
    ax.scatter(*flat[~known].T, s=5, color="#c9ced6")
    ax.scatter(*flat[known].T, s=8, c=clf.transduction_[known].astype(int), cmap="tab10")
    ax.set(title=f"{name}: {known.sum()}", xticks=[], yticks=[])
fig.tight_layout()

# %%
# Digits that wait
# ----------------
# The least probable of the rows without a label: some are hard for a person, too.

waiting = clf.pseudo_labels_[clf.pseudo_labels_["label"].isna()].nsmallest(12, "probability")
fig, axes = plt.subplots(2, 6, figsize=(8, 3.2))
for ax, (row, line) in zip(axes.flat, waiting.iterrows(), strict=True):
    ax.imshow(X[row].reshape(8, 8), cmap="Greys")
    ax.set_title(f"{line['guess']} or {line['runner_up']}? is {truth[row]}", fontsize=8)
    ax.axis("off")
fig.tight_layout()

# %%
found = clf.pseudo_labels_
filled = found["label"].notna().to_numpy()
right = found["guess"].to_numpy().astype(int) == truth[found.index]
print(
    f"{filled.sum()} found, {np.mean(right[filled]):.1%} right; {np.mean(right[~filled]):.1%} of the other guesses"
)

# %%
# What to do next
# ---------------
# - ``surelabel demo`` does this with the default committee, and writes a report.
# - Networks for images are in ``surelabel.torch``; the guide on networks tells how.
