"""
Several labels a row
====================

A song may be calm and sad at once. Each cell of a table of labels is known, or is not; single cells are filled in.
"""

# %%
# Songs
# -----

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from surelabel import Repeated, csa, trees

rng = np.random.default_rng(0)
X = rng.normal(size=(240, 5))
truth = pd.DataFrame({"calm": X[:, 0] > 0, "happy": X[:, 1] > 0.4, "sad": X[:, 1] < -0.4}).astype(int)
y = truth.astype(float)
y.iloc[60:] = np.nan
y.loc[60:99, "calm"] = truth.loc[60:99, "calm"]
y.iloc[[0, 60, 239]]

# %%
# Fit
# ---

clf = csa(committee=Repeated(trees(25), 8), random_state=0).fit(X, y)
for round in clf.history_:
    print(round)

# %%
# Each label has a classifier of its own, with its own verdict.

for name, one in zip(clf.classes_, clf.estimators_, strict=True):
    print(f"{name}: {one.verdict_}")

# %%
# Cells found by the rounds
# -------------------------
# White is unknown, light was given, and full colour was found. Which cells are filled in is decided afterwards: ``clf.fill()``.

fig, ax = plt.subplots(figsize=(8, 2.2))
given, found = clf.labeled_iter_ == 0, clf.labeled_iter_ > 0
picture = np.ones((*given.shape, 3))
for cells, yes, no in (
    (given, (0.72, 0.83, 0.93), (0.88, 0.89, 0.91)),
    (found, (0.15, 0.45, 0.75), (0.45, 0.48, 0.52)),
):
    picture[cells & (clf.transduction_ == 1)] = yes
    picture[cells & (clf.transduction_ == 0)] = no
ax.imshow(picture.transpose(1, 0, 2), aspect="auto", interpolation="nearest")
ax.set_yticks(range(3), clf.classes_)
ax.set(xlabel="row", title="blue: has the label; grey: has it not")
fig.tight_layout()

# %%
# What to do next
# ---------------
# - ``print(clf.fill(right=0.95))`` says how many cells can be filled in if 95% are to be right.
# - On the command line: ``surelabel label songs.csv --target calm,happy,sad --out run/``.
# - ``surelabel.report(clf, "songs.html")`` writes a page of all labels and one for each.
# - Lists of tags are read too: ``y = [["calm", "sad"], [], None]``.
