"""
A transport plan against thresholds
===================================

A threshold asks of each row alone: is it probable enough? A plan asks of all rows at once: who gets the places that each class has?
This is the paper's figure 4, on data that everybody can draw.
"""

# %%
# A committee that favours one class
# ----------------------------------
# Ninety rows of three classes in equal parts. The committee is too fond of the first class, as committees are that saw
# more labels of it.

import matplotlib.pyplot as plt
import numpy as np

from surelabel import Budget, Threshold, Transport

rng = np.random.default_rng(0)
truth = np.repeat([0, 1, 2], 30)
scores = rng.normal(0, 0.9, (90, 3)) + 1.6 * np.eye(3)[truth] + [1.0, 0, 0]
p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
np.bincount(p.argmax(axis=1))

# %%
# Two ways to choose
# ------------------
# Half of the rows may be labelled in this round, in equal parts. A threshold alone would know nothing of the parts.

budget = Budget(share=0.5, prior=np.full(3, 1 / 3), pool=90)
everything = Budget(share=3.0, prior=np.full(3, 1 / 3), pool=90)
ways = {
    "threshold 0.8": Threshold(0.8)(p, everything),
    "threshold 0.6": Threshold(0.6)(p, everything),
    "transport plan": Transport()(p, budget),
}

# %%
# What each takes
# ---------------
# A line is a row, sorted by its true class; a cell is as dark as its class is probable. A frame is a label: blue where it is
# right, red where it is wrong.

fig, axes = plt.subplots(1, 3, figsize=(9, 6), sharey=True)
for ax, (name, allocation) in zip(axes, ways.items(), strict=True):
    ax.imshow(p, aspect="auto", cmap="Greys", vmin=0, vmax=1.2, interpolation="nearest")
    for row, code in enumerate(allocation.codes):
        if code >= 0:
            colour = "#2f7fd0" if code == truth[row] else "#d9302c"
            ax.add_patch(plt.Rectangle((code - 0.48, row - 0.5), 0.96, 1, fill=False, ec=colour, lw=1.6))
    taken = allocation.codes >= 0
    right = (allocation.codes == truth)[taken].mean()
    counts = np.bincount(allocation.codes[taken], minlength=3)
    ax.set_title(f"{name}\n{', '.join(map(str, counts))} rows; {right:.0%} right", fontsize=10)
    ax.set_xticks(range(3), ["first", "second", "third"])
axes[0].set_ylabel("rows, by true class")
fig.tight_layout()

# %%
# The thresholds hand out labels of the first class above all, right or wrong, and the next round is trained on that. The plan
# gives each class its part.
#
# What to do next
# ---------------
# - ``clf.plot.plan()`` draws the plans of a run of your own.
# - ``csa(allocator=Transport(low=0.5))`` lets shares vary more; ``class_prior`` says what they are.
# - The page on the transport solver tells how the plan is found, and how exact it is.
