import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from surelabel import Panel, Unlike, csa
from surelabel.model_selection import hide_labels
from surelabel.tool.final_opinion import as_final, opinions


@pytest.fixture(scope="module")
def half_labelled():
    rng = np.random.default_rng(0)
    truth = np.arange(240) % 3
    X = pd.DataFrame(rng.normal(size=(240, 2)) + 1.5 * truth[:, None], columns=["a", "b"])
    return X, hide_labels(np.array(["x", "y", "z"], dtype=object)[truth], 0.7, random_state=0)


def fitted(committee, half_labelled, **settings):
    return csa(committee=committee, random_state=0, guard=False, **settings).fit(*half_labelled)


def test_a_committee_that_was_asked_in_the_rounds_is_not_asked_again(half_labelled):
    X, _ = half_labelled
    clf = fitted(Unlike([GaussianNB(), LogisticRegression()]), half_labelled)
    assert clf._asked
    unknown = X.loc[clf.pseudo_labels_.index]
    assert_frame_equal(as_final(clf.pseudo_labels_), opinions(clf, unknown)[0].of(clf.pseudo_labels_))


@pytest.mark.parametrize(
    ("committee", "settings"),
    [
        (Panel([GaussianNB(), LogisticRegression()]), {}),
        (Unlike([GaussianNB(), LogisticRegression()]), {"estimator": GaussianNB()}),
        (Unlike([GaussianNB(), LogisticRegression()]), {"found_weight": "balanced"}),
        (Unlike([GaussianNB(), LogisticRegression()]), {"n_rounds": 0}),
    ],
    ids=["trained again", "another classifier", "on found labels", "no rounds"],
)
@pytest.mark.filterwarnings("ignore:None of the:UserWarning")
def test_a_final_classifier_that_was_not_asked_is_asked(committee, settings, half_labelled):
    assert not fitted(committee, half_labelled, **settings)._asked
