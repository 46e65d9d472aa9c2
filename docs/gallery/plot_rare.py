"""
Rare classes
============

A class that few rows have is easily swallowed by the others: who trusts what is probable trusts the frequent classes first. Shares
of classes hold against that.
"""

# %%
# One class of ten per cent, one of three
# ---------------------------------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification

from surelabel import Repeated, csa, pl, trees
from surelabel.model_selection import hide_labels

X, truth = make_classification(
    900,
    8,
    n_informative=6,
    n_redundant=0,
    n_classes=3,
    weights=[0.87, 0.1, 0.03],
    class_sep=1.2,
    random_state=3,
)
y = hide_labels(truth, 0.85, random_state=0)
print("labelled rows of each class:", np.bincount(y[y >= 0]))

# %%
# A threshold, and a plan with shares
# -----------------------------------
# ``pl`` takes whatever is at least 80% probable. ``csa`` gives each class its share of labels; here we know the shares, and
# say so.

committee = Repeated(trees(30), 8)
shares = dict(enumerate(np.bincount(truth) / len(truth)))
methods = {
    "pl": pl(committee=committee, guard=False, random_state=0),
    "csa": csa(committee=committee, class_prior=shares, guard=False, random_state=0),
}
fitted = {name: method.fit(X, y) for name, method in methods.items()}

# %%
# How many of each class were found
# ---------------------------------

fig, axes = plt.subplots(1, 2, figsize=(8, 3), sharey=True)
for ax, (name, clf) in zip(axes, fitted.items(), strict=True):
    found = clf.pseudo_labels_
    label, true = found["label"], truth[found.index]
    has = label.notna().to_numpy()
    right = has & (label.to_numpy() == true)
    recall = [right[true == k].mean() for k in range(3)]
    ax.bar(range(3), recall, color=["#8a8f98", "#3b82c4", "#2f9e63"])
    ax.set(
        title=f"{name}: {has.sum()} labels, {right[has].mean():.0%} right", xlabel="class", xticks=range(3)
    )
    ax.set_ylim(0, 1)
axes[0].set_ylabel("share found, and right")
fig.tight_layout()

# %%
# What to do next
# ---------------
# - Say the shares only where you know them: ``class_prior={...}`` in Python, ``--prior`` on the command line. Wrong shares do harm.
# - Label some more rows of the rare class by hand. No method makes up for one or two examples.
# - ``clf.plot.class_mix()`` shows whether the mix of labels found has drifted from the one expected.
