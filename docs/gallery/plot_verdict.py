"""
Did the unlabelled rows help?
=============================

They do not always, and few labels cannot tell. The verdict says what held-out rows say, and how small a difference could be seen.
"""

# %%
# The same table with more and more labels
# ----------------------------------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification

from surelabel import Repeated, csa, trees
from surelabel.model_selection import hide_labels

X, truth = make_classification(800, 10, n_informative=5, n_classes=3, class_sep=1.2, random_state=0)
labelled = [20, 60, 180]
fitted = []
for n in labelled:
    y = hide_labels(truth, 1 - n / 800, random_state=0)
    fitted.append(csa(committee=Repeated(trees(20), 5), n_rounds=3, random_state=0).fit(X, y))
    print(f"{n:3} labels: {fitted[-1].verdict_}")

# %%
# What is known, and what could have been
# ---------------------------------------
# The bar is the interval of the gain; the grey band is what so many labels could not have shown.

fig, ax = plt.subplots(figsize=(7, 3.2))
for place, clf in enumerate(fitted):
    verdict = clf.verdict_
    ax.bar(place, 2 * verdict.visible, bottom=-verdict.visible, width=0.7, color="#e4e7ec")
    ax.plot([place] * 2, verdict.interval, color="#3b82c4", lw=5, solid_capstyle="butt")
    ax.plot(place, verdict.gain, "o", color="black")
ax.axhline(0, color="#8a8f98", lw=1)
ax.set_xticks(range(3), [f"{n} labels" for n in labelled])
ax.set_ylabel("points of accuracy")
ax.set_title("What the unlabelled rows did to the classifier")
fig.tight_layout()

# %%
# The labels that were found
# --------------------------
# Whether the classifier gained is one question; whether the labels are right is another.

for n, clf in zip(labelled, fitted, strict=True):
    found = clf.pseudo_labels_.dropna(subset="label")
    right = np.mean(found["label"].to_numpy().astype(int) == truth[found.index])
    print(f"{n:3} labels: {len(found)} found by the rounds, {right:.1%} of them right")

# %%
# What to do next
# ---------------
# - Where the verdict is "no evidence", label more rows rather than tuning: the difference cannot be seen anyway.
# - Where it is "hurt", the classifier is the one trained on the given labels alone; look at the labels before using them.
# - ``guard=False`` leaves the question out.
