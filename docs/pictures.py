"""The pictures of the pages on concepts: `make docs-pictures` draws them again, into _static."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits, make_classification, make_moons
from sklearn.decomposition import PCA
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from surelabel import Repeated, csa, trees
from surelabel.model_selection import hide_labels

BLUE, RED, GREY = "#3b82c4", "#d9534f", "#b4bac4"


def limits() -> Figure:
    """Classes that are clumps, and classes that lie across one."""
    rng = np.random.default_rng(0)
    side = rng.integers(0, 2, 300)
    clumps = rng.normal(scale=0.5, size=(300, 2)) + np.where(side[:, None] == 1, 1.5, -1.5)
    cloud = rng.normal(scale=1.2, size=(300, 2))
    fig, axes = plt.subplots(1, 2, figsize=(8, 3.2))
    pairs = [("the cloud says where the classes are", clumps, side), ("it does not", cloud, cloud[:, 0] > 0)]
    for ax, (title, X, truth) in zip(axes, pairs, strict=True):
        ax.scatter(*X.T, s=10, color=GREY)
        few = np.concatenate([np.flatnonzero(truth == k)[:3] for k in (0, 1)])
        ax.scatter(*X[few].T, s=70, c=[RED if truth[row] else BLUE for row in few], edgecolor="black")
        ax.set(title=title, xticks=[], yticks=[])
    return fig


def committee() -> Figure:
    """What three models say, and where they differ."""
    X, truth = make_moons(300, noise=0.15, random_state=0)
    few = np.concatenate([np.flatnonzero(truth == k)[:6] for k in range(2)])
    grid = np.stack(np.meshgrid(np.linspace(-1.8, 2.8, 90), np.linspace(-1.2, 1.7, 70)), axis=-1)
    models = {
        "a linear model": LogisticRegression(),
        "neighbours": KNeighborsClassifier(3),
        "a kernel": GaussianProcessClassifier(random_state=0),
    }
    said = [
        model.fit(X[few], truth[few]).predict_proba(grid.reshape(-1, 2))[:, 1].reshape(grid.shape[:2])
        for model in models.values()
    ]
    fig, axes = plt.subplots(1, 4, figsize=(10, 2.5))
    for ax, title, surface in zip(
        axes, [*models, "where they differ"], [*said, np.std(said, axis=0)], strict=True
    ):
        shades = {"cmap": "RdBu_r", "vmin": 0, "vmax": 1} if title in models else {"cmap": "Greys"}
        ax.contourf(grid[..., 0], grid[..., 1], surface, levels=11, alpha=0.7, **shades)
        ax.scatter(*X[few].T, s=30, c=[RED if truth[row] else BLUE for row in few], edgecolor="black")
        ax.set(xticks=[], yticks=[])
        ax.set_title(title, fontsize=10)
    return fig


def rounds() -> Figure:
    """Labels of digits after each round."""
    X, truth = load_digits(return_X_y=True)
    X, truth = X[:900], truth[:900]
    y = hide_labels(truth, 0.9, random_state=0)
    clf = csa(committee=Repeated(trees(60), 8), guard=False, random_state=0).fit(X, y)
    flat = PCA(2, random_state=0).fit_transform(X)
    fig, axes = plt.subplots(1, 3, figsize=(9.5, 3))
    last = len(clf.history_)
    for ax, most in zip(axes, (0, 1, last), strict=True):
        known = (clf.labeled_iter_ >= 0) & (clf.labeled_iter_ <= most)
        ax.scatter(*flat[~known].T, s=4, color=GREY)
        ax.scatter(*flat[known].T, s=7, c=clf.transduction_[known].astype(int), cmap="tab10")
        title = f"after round {most}" if most else "given"
        ax.set(title=f"{title}: {known.sum()} of {len(y)} digits", xticks=[], yticks=[])
    return fig


def promise() -> Figure:
    """Labels of digits that can be filled in, by the share of them that is to be right."""
    X, truth = load_digits(return_X_y=True)
    y = hide_labels(truth, 0.9, random_state=0)
    curve = csa(random_state=0).fit(X, y).fill_curve(0.9)
    fig, ax = plt.subplots(figsize=(7.5, 3.2))
    forms = [
        ("on average", curve.average, BLUE),
        ("with 90% confidence, in this very table", curve.confident, RED),
    ]
    for words, rows, color in forms:
        ax.step(100 * curve.right, 100 * rows / curve.m, where="post", color=color, label=words)
    ax.set(xlabel="share that must be right, %", ylabel="labels filled in, %", xlim=(90, 100))
    ax.legend(frameon=False, loc="lower left")
    return fig


def verdict() -> Figure:
    """The gain by more and more labels."""
    X, truth = make_classification(800, 10, n_informative=5, n_classes=3, class_sep=1.2, random_state=0)
    fig, ax = plt.subplots(figsize=(7.5, 3))
    numbers = (20, 60, 180)
    for place, n in enumerate(numbers):
        y = hide_labels(truth, 1 - n / 800, random_state=0)
        found = csa(committee=Repeated(trees(20), 5), n_rounds=3, random_state=0).fit(X, y).verdict_
        ax.barh(place, 2 * found.visible, left=-found.visible, height=0.7, color="#e4e7ec")
        ax.plot(found.interval, [place] * 2, color=BLUE, lw=5, solid_capstyle="butt")
        ax.plot(found.gain, place, "o", color="black")
    ax.axvline(0, color=GREY, lw=1)
    ax.set_yticks(range(3), [f"{n} labels" for n in numbers])
    ax.set(xlabel="points of accuracy; grey: too small to be seen", title="What the unlabelled rows did")
    return fig


if __name__ == "__main__":
    for draw in (limits, committee, rounds, promise, verdict):
        figure = draw()
        figure.tight_layout()
        figure.savefig(Path(__file__).parent / "_static" / f"{draw.__name__}.png", dpi=130)
