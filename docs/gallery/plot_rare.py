"""
Rare classes
============

A class that few rows have is easily swallowed by the others: who trusts what is probable trusts the frequent classes first. Quotas
for classes help a class that is not frequent; they do little for one that has a handful of labels. What helps that one is a person, who
looks at the right rows.
"""

# %%
# One class of ten per cent, one of three
# ---------------------------------------
# Four tables of this kind, since one alone says little about a class of which it has some 25 rows.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification

from surelabel import Repeated, csa, pl, trees
from surelabel.model_selection import hide_labels


def drawn(seed):
    """A table, its labels, most of them hidden, and the truth."""
    X, truth = make_classification(
        900,
        8,
        n_informative=6,
        n_redundant=0,
        n_classes=3,
        weights=[0.87, 0.1, 0.03],
        class_sep=1.2,
        random_state=seed,
    )
    return X, hide_labels(truth, 0.85, random_state=seed), truth


tables = [drawn(seed) for seed in range(3, 7)]
for _, y, _ in tables:
    print("labelled rows of each class:", np.bincount(y[y >= 0]))

# %%
# A threshold, quotas, the true shares, and other models
# ------------------------------------------------------
# ``pl`` takes whatever is at least 80% probable. ``csa`` gives each class a quota, from the given labels or from the true shares, which we
# know here. The first three ask the same forests; the last one has the default committee.

committee = Repeated(trees(30), 8)


def methods(truth):
    """What is compared, by name."""
    shares = dict(enumerate(np.bincount(truth) / len(truth)))
    return {
        "pl": pl(committee=committee, guard=False, random_state=0),
        "csa": csa(committee=committee, guard=False, random_state=0),
        "csa, true shares": csa(committee=committee, class_prior=shares, guard=False, random_state=0),
        "csa, default committee": csa(guard=False, random_state=0),
    }


found, last = {}, []
for X, y, truth in tables:
    for name, clf in methods(truth).items():
        lines = clf.fit(X, y).pseudo_labels_
        true = truth[lines.index]
        right = lines["label"].notna().to_numpy() & (lines["label"].to_numpy() == true)
        found.setdefault(name, []).append([right[true == k].mean() for k in range(3)])
    last.append(clf)

fig, axes = plt.subplots(1, 4, figsize=(11, 3), sharey=True)
for ax, (name, shares_found) in zip(axes, found.items(), strict=True):
    mean = np.mean(shares_found, axis=0)
    print(f"{name}: " + ", ".join(f"class {k} {share:.0%}" for k, share in enumerate(mean)))
    ax.bar(range(3), mean, color=["#8a8f98", "#3b82c4", "#2f9e63"])
    ax.set(title=name, xlabel="class", xticks=range(3), ylim=(0, 1))
axes[0].set_ylabel("share found by the rounds, and right")
fig.tight_layout()

# %%
# Quotas find more of the class of ten per cent than the threshold does. To know the true shares changes little: the
# labelled rows tell them well enough. Of the rarest class hardly a row is found by any of them.

# %%
# A promise for each class
# ------------------------
# A promise over all labels may hide a class that is mostly wrong. ``per_class=True`` promises each class by itself, and leaves empty what
# cannot be promised; ``labels_missing`` says how many labels more such a promise would take.

X, y, truth = tables[0]
clf = csa(random_state=0).fit(X, y)
print(clf.fill(right=0.9))
print(clf.fill(right=0.9, per_class=True))
clf.fill(right=0.9, per_class=True).table[["guessed", "filled", "labels_missing"]]

# %%
# Look where the class is probable
# --------------------------------
# The rarest class is hardly ever the most probable one. But put the rows in the order of its probability, and a person who looks
# at the first ones finds many of its rows in a short time.

looked = np.arange(1, 101)
hits = []
for (X, _, truth), model in zip(tables, last, strict=True):
    rows = model.pseudo_labels_.index.to_numpy()
    first = rows[np.argsort(-model.predict_proba(X[rows])[:, 2])]
    hits.append(np.cumsum(truth[first] == 2)[:100] / np.sum(truth[rows] == 2))
hits = np.mean(hits, axis=0)
print(
    f"in the first 20 rows of {len(rows)}: {hits[19]:.0%} of the rare class; in 20 rows at random: {20 / len(rows):.0%}"
)

fig, ax = plt.subplots(figsize=(7, 3.2))
ax.plot(looked, hits, color="#2f9e63", label="by the probability of the rare class")
ax.plot(looked, looked / len(rows), color="#8a8f98", ls="--", label="at random")
ax.set(xlabel="rows that a person looks at", ylabel="share of the rare class found", ylim=(0, 1))
ax.legend(frameon=False)
fig.tight_layout()

# %%
# What to do next
# ---------------
# - Ask for each class: ``clf.fill(per_class=True)``, ``surelabel fill run/ --per-class``.
# - Look at the rows that are most probably of the rare class, and give the answers to
#   ``clf.learn(rows, labels)``. They teach; since they were chosen, they do not count for a promise.
# - Leave to a person what is not filled in. No method makes up for a handful of examples.
# - Say the shares only where the labelled rows tell them wrongly: ``class_prior={...}`` in Python, ``--prior`` on the command line. Wrong
#   shares do harm.
# - ``clf.plot.class_mix()`` shows whether the mix of labels found has drifted from the one expected.
