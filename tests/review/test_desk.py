"""Piles, the audit's bound, who is shown which row, and how rows are shown; without a server."""

import numpy as np
import pandas as pd
import pytest
from reviewing import small_desk

from surelabel.files import InputError
from surelabel.review.desk import Desk
from surelabel.review.likeness import Landmarks
from surelabel.review.listing import Wanted
from surelabel.review.piles import piles_of
from surelabel.review.subject import Picture, subject_of


@pytest.fixture
def desk(fit, tmp_path):
    desk = small_desk(fit, tmp_path)
    yield desk
    desk.close()


# ---- what to look at


def test_piles_are_what_advice_says(fit):
    clf, _, truth = fit
    piles = piles_of(clf)
    unlabelled = np.flatnonzero(clf.labeled_iter_ != 0)
    assert sorted(piles.ask.rows) == unlabelled.tolist()
    best = clf.next_rows(n=min(100, len(unlabelled)))
    assert piles.ask.rows[: len(best)].tolist() == best["row"].tolist()
    assert piles.ask.at_random.sum() == (best["pile"] == "random").sum() > 0
    wrong = [row for row in np.flatnonzero(clf.labeled_iter_ == 0) if clf.transduction_[row] != truth[row]]
    assert set(wrong) <= set(piles.doubts.rows[: len(wrong) + 2])
    suggested = dict(zip(piles.doubts.rows, piles.doubts.suggested, strict=True))
    assert [suggested[row] for row in wrong] == [str(truth[row]) for row in wrong]
    filled = clf.pseudo_labels_["filled"].notna().to_numpy()
    assert sorted(piles.audit.rows) == unlabelled[filled].tolist()


# ---- who is shown what


def test_two_tabs_get_different_rows_and_a_skipped_row_comes_again(desk):
    one, two = desk.next_row("ask", "one"), desk.next_row("ask", "two")
    assert one != two
    assert desk.next_row("ask", "one") == one
    desk.skip(one, "one")
    assert desk.next_row("ask", "one") not in (one, two)
    rows = [row for row in desk.piles.ask.rows.tolist() if row != one]
    for start in range(0, len(rows), 500):
        desk.answer(rows[start : start + 500], "0", key=f"k{start}", pile="browse")
    assert desk.next_row("ask", "one") == one
    assert desk.next_row("ask", "two") is None


def test_a_row_that_a_tab_left_is_given_to_others_later(fit, tmp_path):
    now = [0.0]
    desk = small_desk(fit, tmp_path, clock=lambda: now[0])
    row = desk.next_row("ask", "one")
    assert desk.next_row("ask", "two") != row
    now[0] = 301.0
    assert desk.next_row("ask", "three") == row
    desk.close()


def test_an_audit_tells_nothing_before_the_answer_and_all_of_it_after(desk):
    row = desk.next_row("audit", "tab")
    card = desk.card(row, "audit")
    assert card["hidden"]
    assert (card["suggestion"], card["label"], card["likely"], card["nearest"]) == (None, None, [], [])
    assert not any("why" in cell for cell in card["cells"])
    (written,) = desk.answer([row], "zebra", key="k", pile="audit", who="Ann")
    assert written.at_random
    assert written.shown["hidden"]
    assert desk.state()["recent"][0]["filled"] == desk.subject.label[row]
    assert not desk.card(row, "audit")["hidden"]


def test_skipped_and_unknown_audit_rows_count_as_wrong(desk):
    rows, label = desk.piles.audit.rows.tolist(), desk.subject.label
    desk.answer([rows[0]], label[rows[0]], key="a", pile="audit")
    assert desk.state()["audit"] | {"bound": 0} == {"checked": 1, "right": 1, "filled": len(rows), "bound": 0}
    desk.answer([rows[3]], label[rows[3]], key="b", pile="audit")
    assert desk.state()["audit"]["checked"] == 4
    assert desk.state()["audit"]["right"] == 2
    desk.answer([rows[1]], None, key="c", pile="audit")
    assert desk.state()["audit"]["right"] == 2
    desk.undo("u")
    desk.undo("v")
    assert desk.state()["audit"]["checked"] == 1


def test_an_audit_begins_anew_after_the_answers_were_taken_in(fit, tmp_path):
    desk = small_desk(fit, tmp_path)
    rows = desk.piles.audit.rows.tolist()
    desk.answer([rows[5]], None, key="a", pile="audit")
    assert desk.state()["audit"]["checked"] == 6
    desk.change(desk.subject, desk.piles, since=desk.ledger.last)
    assert desk.state()["audit"]["checked"] == 0
    desk.close()


def test_only_rows_drawn_at_random_are_marked_so(desk):
    row = int(desk.piles.audit.rows[0])
    by_pile = {
        pile: desk.answer([row], "0", key=pile, pile=pile)[0].at_random for pile in ("ask", "browse", "audit")
    }
    assert by_pile == {"ask": False, "browse": False, "audit": True}


def test_undo_is_of_ones_own_last_answer_and_sent_twice_is_done_once(desk):
    desk.answer([1], "0", key="a", pile="browse", who="Ann")
    desk.answer([2], "1", key="b", pile="browse", who="Bo")
    desk.answer([3], "1", key="c", pile="browse", who="Bo")
    assert desk.undo("u", "Ann").row == 1
    assert desk.undo("u", "Ann") is None
    assert desk.undo("v", "Bo").row == 3
    assert desk.undo("v", "Bo").row == 3
    assert desk.ledger.of(2).label == "1"
    assert desk.undo("w", "Ann", number=2).row == 2
    assert len(desk.ledger) == 0


def test_answers_of_another_process_are_seen(fit, desk, tmp_path):
    other = small_desk(fit, tmp_path)
    row = desk.next_row("ask", "one")
    other.answer([row], "1", key="k", pile="ask", who="Bo")
    assert desk.next_row("ask", "one") != row
    assert desk.state()["recent"][0]["who"] == "Bo"
    other.close()


def test_a_new_class_is_listed_as_long_as_a_row_has_it(desk):
    desk.answer([0], " lynx ", key="k", pile="ask")
    assert desk.state()["classes"][-1] == {"label": "lynx", "rows": 1, "new": True}
    desk.undo("u")
    assert all(not each["new"] for each in desk.state()["classes"])


@pytest.mark.parametrize(
    ("rows", "label", "words"),
    [
        ([10**9], "a", "There is no row"),
        ([], "a", "at once"),
        ([0], " ", "name of 1 to 200"),
        ([-1], "a", "no row"),
    ],
)
def test_bad_answers_are_refused_and_nothing_is_written(desk, rows, label, words):
    with pytest.raises(InputError, match=words):
        desk.answer(rows, label, key="k", pile="ask")
    assert desk.ledger.last == 0


# ---- lists


def test_rows_are_found_by_text_class_and_status(desk):
    desk.answer([0, 1], None, key="a", pile="browse")
    assert [line["row"] for line in desk.listed(Wanted(status="cannot tell", order="row"))["rows"]] == [0, 1]
    found = desk.listed(Wanted(search="ROW-00007"))
    assert [line["row"] for line in found["rows"]] == [7]
    of_class = desk.listed(Wanted(label="1"))
    assert {line["answer"] or line["label"] or line["guess"] for line in of_class["rows"]} == {"1"}
    p = [line["probability"] or 1.0 for line in desk.listed(Wanted(order="unsure"))["rows"]]
    assert p == sorted(p)


def test_each_row_is_on_one_page(desk):
    pages = desk.listed(Wanted())["pages"]
    rows = [line["row"] for page in range(pages) for line in desk.listed(Wanted(page=page))["rows"]]
    assert sorted(rows) == list(range(len(desk.subject)))


# ---- cards


def test_what_speaks_most_for_the_guess_comes_first_and_says_why(desk):
    card = desk.card(int(desk.piles.ask.rows[-1]), "ask")
    speaks = [cell["speaks"] for cell in card["cells"] if cell["used"]]
    assert [cell["used"] for cell in card["cells"]] == [True] * 3 + [False]
    assert speaks == sorted(speaks, reverse=True)
    assert f"are {card['suggestion']}; of all labelled rows" in card["cells"][0]["why"]
    assert 0 < len(card["nearest"]) <= 3
    assert all(near["row"] != card["row"] for near in card["nearest"])


def test_a_labelled_row_says_nothing_of_itself():
    X = pd.DataFrame({"x": [0.0, 5.0, 6.0], "text": ["a b", "b c", "c d"], "gap": [np.nan, 1.0, np.nan]})
    landmarks = Landmarks(X, {"text": "text"}, np.arange(3), np.array(["p", "q", "q"]))
    distances = landmarks.distances(0)
    assert landmarks.rows[landmarks.nearest(distances, 3)].tolist() == [2, 1]
    assert landmarks.evidence(distances, "p")["x"].n_agreeing == 0
    none = Landmarks(X, {}, np.arange(0), np.array([]))
    assert none.evidence(none.distances(0), "p")["x"].speaks == 0.0


def test_pixels_are_drawn_where_they_are_declared(fit):
    clf, X, _ = fit
    frame = X[["x", "y"]]
    subject = subject_of(clf, X, frame=frame, image="2x1")
    assert subject.pixels.shape == (len(X), 2)
    assert subject.pixels.min() == 0
    assert subject.pixels.max() == 255
    assert Picture.of("1x1:x", frame).columns == ("x",)
    for said, words in [("8by8", "width x height"), ("3x3", "needs 9 columns"), ("0x3", "pixels")]:
        with pytest.raises(InputError, match=words):
            Picture.of(said, frame)


def test_x_must_be_all_rows_of_the_fit(fit):
    clf, X, _ = fit
    with pytest.raises(ValueError, match="all rows of the fit"):
        subject_of(clf, X.iloc[:10])


def test_a_closed_desk_still_tells_what_was_answered(fit, tmp_path):
    desk = small_desk(fit, tmp_path)
    desk.answer([0], "1", key="k", pile="ask")
    desk.close()
    desk.refresh_if_open()
    assert desk.ledger.of(0).label == "1"
    assert isinstance(desk, Desk)
