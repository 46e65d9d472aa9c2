"""What a notebook shows: a result once there is one, and scikit-learn's diagram before."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from surelabel import pl
from surelabel.reporting.notebook import _bars


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    truth = np.repeat(["<b>owl</b>", "robin"], 30)
    X = rng.normal(size=(60, 2)) + 3 * (truth == "robin")[:, None]
    y = np.where(np.arange(60) % 2 == 0, truth, None)
    return pl(committee=GaussianNB()).fit(X, y)


def test_a_result_is_shown_with_its_text_beside(fitted):
    shown, said = fitted._repr_mimebundle_(), str(fitted.fill())
    said = f"{said[0].upper()}{said[1:]}."
    assert shown["text/plain"].startswith(f"PseudoLabelClassifier: {said}\n")
    assert shown["text/html"].index(said) < shown["text/html"].index("held-out labelled rows")
    assert shown["text/html"] == fitted._repr_html_()
    assert "robin" in shown["text/plain"]


def test_the_labels_shown_are_those_handed_out(fitted):
    filling, bars = fitted.fill(), _bars(fitted, fitted.fill().labels)
    assert filling.n_filled
    assert sum(int(bar["filled"]) for bar in bars) == filling.n_filled


def test_without_a_missing_label_nothing_is_promised():
    X = np.arange(20.0)[:, None]
    with pytest.warns(UserWarning, match="no unlabelled row"):
        whole = pl(committee=GaussianNB()).fit(X, np.arange(20) // 10)
    assert whole._repr_mimebundle_()["text/plain"].startswith("PseudoLabelClassifier: Nothing to fill in:")


def test_names_of_classes_are_text_and_nothing_is_fetched_or_run(fitted):
    html = fitted._repr_html_()
    assert "&lt;b&gt;owl&lt;/b&gt;" in html
    assert "<b>owl" not in html
    assert not [word for word in ("http", "<script", "url(", "nan") if word in html]


def test_bars_add_up_to_the_rows(fitted):
    bars = _bars(fitted, fitted.fill().labels)
    assert sum(int(bar[part]) for bar in bars for part in ("given", "filled", "left")) == 60
    assert max(sum(width for _, width in bar["widths"]) for bar in bars) == pytest.approx(100, abs=0.2)


def test_before_fit_scikit_learn_shows_the_settings(fitted):
    before = clone(fitted)
    assert "surelabel-result" not in before._repr_html_()
    assert before._repr_mimebundle_()["text/plain"] == repr(before)
    with config_context(display="text"):
        assert "text/html" not in fitted._repr_mimebundle_()
        assert not hasattr(fitted, "_repr_html_")


def test_several_labels_are_shown_by_label():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    Y = (X > 0).astype(float)
    Y[20:] = np.nan
    shown = pl(committee=GaussianNB(), random_state=0).fit(X, Y)._repr_mimebundle_()
    assert "<th>label</th>" in shown["text/html"]
    assert shown["text/html"].count('class="bar"') == 2
    assert "of 80 missing labels filled in" in shown["text/plain"]


def test_classes_in_cells_are_shown_without_bars():
    X = np.random.default_rng(0).normal(size=(60, 2))
    Y = np.eye(2)[(X[:, 0] > 0).astype(int)]
    Y[30:] = np.nan
    shown = pl(committee=GaussianNB(), labels_per_row=1, random_state=0).fit(X, Y)._repr_mimebundle_()
    assert "of 30 missing labels filled in" in shown["text/plain"]
    assert 'class="bar"' not in shown["text/html"]
