"""
A half-labelled CSV file
========================

A table of wines, of which one in four has its label. We read it, fill in what can be answered for, and write it back.
"""

# %%
# The file
# --------
# Any CSV file with empty cells in one column will do. Here we make one of a table that scikit-learn brings, and keep the
# truth aside to see how good the result is. With a table of your own there is no truth to look at, of course.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_wine

from surelabel import csa
from surelabel.model_selection import hide_labels

folder = Path(tempfile.mkdtemp())
wine = load_wine(as_frame=True)
truth = wine.target.map(dict(enumerate(["barolo", "grignolino", "barbera"])))
table = wine.data.assign(grape=hide_labels(truth, 0.75, missing_label=None, random_state=0))
table.to_csv(folder / "wines.csv", index=False)

wines = pd.read_csv(folder / "wines.csv")
wines["grape"].value_counts(dropna=False)

# %%
# Fill in
# -------
# Empty cells are the unlabelled rows. ``csa()`` trains a committee of unlike models on the 45 labels. ``fill`` then hands out as
# many labels as can be answered for: at least 95% of them are to be right.

X, y = wines.drop(columns="grape"), wines["grape"]
clf = csa(random_state=0).fit(X, y)
clf

# %%
# Every row without a label has a line in ``pseudo_labels_``; ``filling.labels`` has the label of those that are filled in.

filling = clf.fill(right=0.95)
print(filling)

# %%
# What was filled in, and what is right
# -------------------------------------
# The truth is known here: how many of the labels that were filled in are right, and how many of the guesses that were not?

lines, filled = clf.pseudo_labels_, filling.labels.notna()
right = filling.labels.fillna(lines["guess"]) == truth.loc[lines.index]
print(f"filled in: {filled.sum()}, of which {right[filled].mean():.1%} are right")
if not filled.all():
    print(f"left open: {(~filled).sum()}, of whose guesses {right[~filled].mean():.1%} are right")

fig, ax = plt.subplots(figsize=(7, 3.2))
bins = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
shares = [lines.loc[filled, "score"], lines.loc[~filled, "score"]]
ax.hist(shares, bins=bins, stacked=True, label=["filled in", "left open"], color=["#3b82c4", "#c9ced6"])
ax.set(xlabel="probability of the best class", ylabel="rows", title="Which labels are filled in")
ax.legend(frameon=False)
fig.tight_layout()

# %%
# Write it back
# -------------

wines["grape"] = wines["grape"].fillna(filling.labels)
wines.to_csv(folder / "filled.csv", index=False)
wines["grape"].notna().sum()

# %%
# What to do next
# ---------------
# - The same without Python: ``surelabel label wines.csv --target grape --out run/`` writes the table, a report and the model.
# - Rows that are left open are worth a look by a person, those with the lowest probability first.
# - ``clf.predict`` labels new rows; ``clf.save`` keeps the classifier.
