"""
What the t-test sees
====================

Two rows may have the same probabilities on average while members agree on one and quarrel over the other. The t-test tells them apart.
This is the paper's figure 2.
"""

# %%
# Three rows, twenty members
# --------------------------

import matplotlib.pyplot as plt
import numpy as np

from surelabel import Entropy, TotalVariance, TTest

rng = np.random.default_rng(0)
names = ["agreed", "quarrelled over", "agreed to be even"]
means, spreads = np.array([0.62, 0.62, 0.51]), np.array([0.03, 0.3, 0.03])
first = np.clip(means + spreads * rng.normal(size=(20, 3)), 0.01, 0.99)
first += means - first.mean(axis=0)
P = np.stack([first, 1 - first], axis=2).clip(0.001, 0.999)  # members, rows, classes
P /= P.sum(axis=2, keepdims=True)

fig, ax = plt.subplots(figsize=(7, 3))
for row in range(3):
    ax.scatter(P[:, row, 0], row + rng.uniform(-0.12, 0.12, 20), s=22, color="#3b82c4", alpha=0.7)
    ax.plot([P[:, row, 0].mean()] * 2, [row - 0.3, row + 0.3], color="black", lw=2)
ax.axvline(0.5, color="#8a8f98", lw=1, ls="--")
ax.set_yticks(range(3), names)
ax.set(xlabel="probability of the first class, by member; the line is the mean", xlim=(0, 1))
fig.tight_layout()

# %%
# What measures say
# -----------------
# Entropy looks at the mean alone, and takes the first two rows for the same. The variance looks at members alone, and takes the
# first and the last for the same. The t-test asks whether the two best classes differ by more than chance: only the first row
# is trusted.

measures = {"entropy": Entropy(), "total variance": TotalVariance(), "t-test": TTest()}
for name, confidence in measures.items():
    print(f"{name:15}", dict(zip(names, confidence.measure(P).round(2).tolist(), strict=True)))

# %%
# More members, more certainty
# ----------------------------
# What twenty members cannot tell, two hundred may.

counts = [3, 5, 10, 20, 50, 100, 200]
trusted = []
for n in counts:
    drawn = np.clip(0.56 + 0.15 * rng.normal(size=(n, 400)), 0.01, 0.99)
    trusted.append((TTest()(np.stack([drawn, 1 - drawn], axis=2)) > 0).mean())
fig, ax = plt.subplots(figsize=(7, 3))
ax.semilogx(counts, trusted, marker="o", color="#3b82c4")
ax.set(
    xlabel="members",
    ylabel="share of rows trusted",
    ylim=(0, 1),
    title="Rows at 56%, members that differ by 15 points",
)
fig.tight_layout()

# %%
# What to do next
# ---------------
# - ``csa(confidence=TTest(alpha=0.01))`` is stricter.
# - A confidence of your own is a function of P; the page on architecture has one.
# - ``clf.plot.confidence()`` draws what was measured in a run.
