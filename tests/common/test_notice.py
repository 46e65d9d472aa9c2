import logging
import warnings

import pytest

from surelabel.common.notice import about, logger, notice, shown, speaking_of


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
