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
    y = np.where(np.arange(60) % 5 == 0, truth, None)
    return pl(committee=GaussianNB()).fit(X, y)


def test_a_result_is_shown_with_its_text_beside(fitted):
    shown = fitted._repr_mimebundle_()
    found = int(fitted.pseudo_labels_["label"].notna().sum())
    assert f"{found} of 48 missing labels are filled in" in shown["text/plain"]
    assert f"{found} of 48 missing labels are filled in" in shown["text/html"]
    assert shown["text/html"] == fitted._repr_html_()
    assert "robin" in shown["text/plain"]


def test_names_of_classes_are_text_and_nothing_is_fetched_or_run(fitted):
    html = fitted._repr_html_()
    assert "&lt;b&gt;owl&lt;/b&gt;" in html
    assert "<b>owl" not in html
    assert not [word for word in ("http", "<script", "url(", "nan") if word in html]


def test_bars_add_up_to_the_rows(fitted):
    bars = _bars(fitted)
    assert sum(int(bar[part]) for bar in bars for part in ("given", "found", "left")) == 60
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
    html = pl(committee=GaussianNB(), guard=False).fit(X, Y)._repr_html_()
    assert "<th>label</th>" in html
    assert html.count('class="bar"') == 2
