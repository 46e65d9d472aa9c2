"""
Your own committee
==================

Members that err in different places tell more than copies of one model. Three unlike models, side by side, and together.
"""

# %%
# Two moons, eight labels
# -----------------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from surelabel import csa

X, truth = make_moons(300, noise=0.15, random_state=0)
y = np.full(300, -1)
for k in range(2):
    y[np.flatnonzero(truth == k)[:6]] = k

models = {
    "logistic regression": LogisticRegression(),
    "3 neighbours": KNeighborsClassifier(3),
    "Gaussian process": GaussianProcessClassifier(random_state=0),
}

# %%
# What each model says, and where they agree
# ------------------------------------------

known = y >= 0
grid = np.stack(np.meshgrid(np.linspace(-1.8, 2.8, 90), np.linspace(-1.2, 1.7, 70)), axis=-1)
fig, axes = plt.subplots(1, 4, figsize=(11, 2.9), sharey=True)
surfaces = []
for ax, (name, model) in zip(axes, models.items(), strict=False):
    surfaces.append(
        model.fit(X[known], y[known]).predict_proba(grid.reshape(-1, 2))[:, 1].reshape(grid.shape[:2])
    )
    ax.set_title(name, fontsize=10)
axes[3].set_title("how far they differ", fontsize=10)
for ax, surface in zip(axes, surfaces, strict=False):
    ax.contourf(grid[..., 0], grid[..., 1], surface, levels=11, cmap="RdBu", alpha=0.7, vmin=0, vmax=1)
axes[3].contourf(grid[..., 0], grid[..., 1], np.std(surfaces, axis=0), levels=11, cmap="Greys", alpha=0.8)
for ax in axes:
    ax.scatter(*X[~known].T, s=4, color="#555b66", alpha=0.5)
    ax.scatter(*X[known].T, c=y[known], cmap="RdBu", s=40, edgecolor="black", vmin=0, vmax=1)
    ax.set(xticks=[], yticks=[])
fig.tight_layout()

# %%
# The committee at work
# ---------------------
# A list of models is a committee. Rows on which the members differ wait.

clf = csa(committee=list(models.values()), guard=False, random_state=0).fit(X, y)
found = clf.pseudo_labels_
filled = found["label"].notna()
right = found["guess"].to_numpy() == truth[found.index]
print(f"{filled.sum()} of {len(found)} labels found by the rounds, {right[filled].mean():.1%} right")
print(f"the guesses of the others: {right[~filled].mean():.1%} right")

# %%
# What to do next
# ---------------
# - ``clf.plot.members()`` shows how the members vote.
# - A committee of another sort derives from ``surelabel.committees.base.Committee``; the page on architecture has an example.
# - Without a committee of your own, ``csa()`` has twelve unlike models and weighs them by held-out rows.
