import logging
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

from surelabel.common import notice as room
from surelabel.common.notice import about, each_once, logger, notice, shown, speaking_of


def test_a_notice_points_at_the_first_line_outside_the_package():
    with pytest.warns(UserWarning, match="^seen$") as caught:
        notice("seen")
    assert caught[0].filename == __file__


def test_a_notice_has_the_category_it_is_given():
    with pytest.warns(DeprecationWarning, match="old"):
        notice("old", DeprecationWarning)


def test_notices_say_what_they_are_about_and_stop_saying_it_after_an_error():
    with pytest.raises(KeyError), speaking_of("Label 'sad'"):  # noqa: PT012
        with pytest.warns(UserWarning, match="^Label 'sad': seen$"):
            notice("seen")
        with speaking_of("Label 'calm'"):
            assert about() == "Label 'calm': "
        assert about() == "Label 'sad': "
        raise KeyError
    assert about() == ""


@pytest.mark.parametrize("verbose", [True, False])
def test_the_log_is_shown_where_it_is_asked_for_and_left_as_it_was(verbose, capsys):
    before = (logger.level, list(logger.handlers))
    with shown(verbose):
        logger.info("round 1")
    logger.info("round 2")
    assert capsys.readouterr().err == "round 1\n" * verbose
    assert (logger.level, logger.handlers) == before


def test_an_application_that_shows_the_log_gets_each_line_once(caplog, capsys):
    with caplog.at_level(logging.INFO, "surelabel"), shown(True):
        logger.info("round 1")
    assert caplog.messages == ["round 1"]
    assert capsys.readouterr().err == ""


def test_a_notice_may_be_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="seen"):
            notice("seen")


class Talkative(ClassifierMixin, BaseEstimator):
    """Says something at every fit, as if from inside the package."""

    def __init__(self, advice=False, times=1):
        self.advice = advice
        self.times = times

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        for _ in range(self.times):
            says(f"{X[0, 0]:.0f} is the first", advice=self.advice)
            says("The end.")
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def says(message, advice=False):
    code = compile("notice(message, advice=advice)", room.__file__, "exec")
    exec(code, {"notice": notice, "message": message, "advice": advice})


X, Y = np.arange(12.0)[:, None], np.arange(12) % 2


def said(work):
    """What is said, and at which lines of this file or another."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    return [str(warning.message) for warning in caught], {warning.filename for warning in caught}


@pytest.fixture
def talkative(monkeypatch):
    """Fits that this file makes count as those of the package, so that the next line outside is a user's."""
    monkeypatch.setattr(Talkative.fit, "__code__", Talkative.fit.__code__.replace(co_filename=room.__file__))
    monkeypatch.setattr(says, "__code__", says.__code__.replace(co_filename=room.__file__))
    return Talkative


def test_a_notice_within_scikit_learn_points_at_the_users_line(talkative):
    for work in (
        lambda: cross_val_score(talkative(), X, Y, cv=3),
        lambda: GridSearchCV(talkative(), {"times": [1, 2]}, cv=2).fit(X, Y),
        lambda: make_pipeline(talkative()).fit(X, Y),
    ):
        assert said(work)[1] == {__file__}


def test_many_fits_say_a_notice_once_and_all_that_differ(talkative):
    texts, _ = said(lambda: cross_val_score(talkative(), X, Y, cv=3))
    assert sorted(texts) == ["0 is the first", "4 is the first", "The end."]
    texts, _ = said(lambda: OneVsRestClassifier(talkative()).fit(X, np.arange(12) % 3))
    assert texts == ["0 is the first", "The end."]


def test_of_advice_many_fits_say_the_first(talkative):
    texts, _ = said(lambda: cross_val_score(talkative(advice=True), X, Y, cv=3))
    assert texts == ["4 is the first", "The end."]


def test_another_line_is_told_again(talkative):
    assert len(said(lambda: cross_val_score(talkative(advice=True), X, Y, cv=3))[0]) == 2
    assert len(said(lambda: cross_val_score(talkative(advice=True), X, Y, cv=3))[0]) == 2


def test_each_fit_of_the_users_own_is_told(talkative):
    texts, _ = said(lambda: [talkative(times=2).fit(X, Y) for _ in range(2)])
    assert len(texts) == 8

    def once():
        for _ in range(2):
            with each_once(), each_once():
                talkative(times=2).fit(X, Y)

    assert said(once)[0] == ["0 is the first", "The end."] * 2


def test_what_raised_was_not_said(talkative):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(UserWarning, match="first"), each_once():
                talkative().fit(X, Y)
