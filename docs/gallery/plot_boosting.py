"""
You use LightGBM
================

Your model is a LightGBM classifier with settings that you trust. Keep it: make it the committee. This page needs
``pip install lightgbm matplotlib``.
"""

# %%
# The supervised model
# --------------------

import matplotlib.pyplot as plt
from lightgbm import LGBMClassifier
from sklearn.datasets import load_breast_cancer

from surelabel import Repeated, csa
from surelabel.model_selection import hide_labels

X, truth = load_breast_cancer(return_X_y=True, as_frame=True)
y = hide_labels(truth, 0.9, random_state=0)
known, unknown = y >= 0, y < 0
model = LGBMClassifier(n_estimators=60, num_leaves=7, min_child_samples=4, n_jobs=1, verbose=-1)
alone = model.fit(X[known], truth[known]).score(X[unknown], truth[unknown])
print(f"trained on {known.sum()} labels: {alone:.1%} of the other rows are right")

# %%
# The same model as a committee
# -----------------------------
# Eight copies that see different samples of the labelled rows tell how sure the model is of each row.

clf = csa(committee=Repeated(model, 8), guard=False, random_state=0).fit(X, y)
found = clf.pseudo_labels_
filled = found["label"].notna()
right = found["guess"].to_numpy() == truth.loc[found.index].to_numpy()
print(
    f"{filled.sum()} of {len(found)} labels are found by the rounds, {right[filled].mean():.1%} of them right"
)
print(f"of those left open, {right[~filled].mean():.1%} of the guesses would be right")

# %%
# Sure is not the same as probable
# --------------------------------
# Boosting is often too sure of itself. What members agree on is another matter.

fig, ax = plt.subplots(figsize=(7, 3.4))
for mask, colour, label in ((right, "#3b82c4", "right"), (~right, "#d9534f", "wrong")):
    ax.scatter(
        found["probability"][mask], found["confidence"][mask].clip(-10, 25), s=12, color=colour, label=label
    )
ax.axhline(0, color="#8a8f98", lw=1)
ax.set(
    xlabel="probability of the guess", ylabel="confidence (above 0 is trusted)", title="Rows without a label"
)
ax.legend(frameon=False)
fig.tight_layout()

# %%
# Keep the model
# --------------
# A saved model is read without running what is in it, so ``load`` takes only types that it knows. LightGBM's are not among
# them: ``save`` warns, and lists what to name.

import tempfile
import warnings
from pathlib import Path

import surelabel

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "cells.surelabel"
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        clf.save(path)
    print(path.name, str(said[0].message).removeprefix(f"{path} "))
    trusted = ["collections.OrderedDict", "lightgbm.basic.Booster", "lightgbm.sklearn.LGBMClassifier"]
    again = surelabel.load(path, trusted=trusted)

print("the same predictions:", (again.predict(X) == clf.predict(X)).all())

# %%
# To trust a type is to let its code read the file: do so with files of your own.
#
# What to do next
# ---------------
# - XGBoost works in the same way; ``RandomXGBoost`` is the paper's committee, trained much quicker than copies.
# - Add your model to the default committee instead: ``csa(committee=Unlike(unlike_models() | {"lightgbm": model}))``.
# - Leave ``guard`` on to learn whether the unlabelled rows helped.
