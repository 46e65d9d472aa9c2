"""Several labels a row: cells are asked about one by one."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from reviewing import served
from sklearn.naive_bayes import GaussianNB

from surelabel import Repeated, csa, review, trees
from surelabel.common.errors import InputError
from surelabel.review.answers import AnswerFile
from surelabel.review.desk import Desk
from surelabel.review.exchange import answers_of, table_of
from surelabel.review.listing import Wanted
from surelabel.review.person import Person, answer_pile
from surelabel.review.piles import piles_of
from surelabel.review.subject import subject_of

NAMES = ("calm", "sad")


@pytest.fixture(scope="module")
def songs():
    """A classifier of two labels, its rows, and the truth of every cell."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"tempo": rng.normal(size=90), "key": rng.normal(size=90)})
    truth = np.column_stack([X["tempo"] < 0, X["key"] > 0]).astype(float)
    y = pd.DataFrame(truth.copy(), columns=NAMES)  # older pandas writes into what it was given
    y.iloc[40:, 0] = np.nan
    y.iloc[50:, 1] = np.nan
    y.iloc[3, 1] = 1 - y.iloc[3, 1]  # a wrong one
    clf = csa(committee=Repeated(trees(10), n_members=3), random_state=0).fit(X, y)
    return clf, X, truth


@pytest.fixture
def desk(songs, tmp_path):
    clf, X, _ = songs
    desk = Desk(subject_of(clf, X), piles_of(clf, X), AnswerFile(tmp_path / "answers.sqlite"))
    yield desk
    desk.close()


def test_a_cell_is_a_row_and_a_label(desk, songs):
    _, X, truth = songs
    assert len(desk.subject) == 180
    assert desk.subject.name_of(7) == "row 4, sad"
    card = desk.card(7, "doubts")
    assert card["name"] == "row 4, sad"
    assert {cell["name"]: cell["text"] for cell in card["cells"]}["tempo"] == f"{X['tempo'][3]:.7g}"
    given = desk.subject.status == "given"
    assert given.reshape(90, 2).sum(axis=0).tolist() == [40, 50]
    named = np.where(truth.ravel() == 1, "yes", "no")
    assert (desk.subject.label[given] != named[given]).sum() == 1


def test_the_piles_are_of_cells(desk, songs):
    clf, _, _ = songs
    assert_array_equal(np.sort(desk.piles.ask.rows), np.flatnonzero(clf.labeled_iter_.ravel() != 0))
    assert 7 in desk.piles.doubts.rows
    assert set(desk.subject.status[desk.piles.audit.rows]) <= {"filled in"}
    assert len(desk.piles.browse) == 180
    near = desk.card(int(desk.piles.ask.rows[0]), "ask")["nearest"]
    assert {each["label"] for each in near} <= {"yes", "no"}


def test_a_search_finds_all_cells_of_a_row(desk, songs):
    _, X, _ = songs
    found = desk.listed(Wanted(search=f"{X['tempo'][12]:.7g}", order="row"))
    assert [line["row"] for line in found["rows"]] == [24, 25]


def test_the_answer_is_yes_or_no(desk):
    desk.answer([7], "yes", key="a", pile="doubts")
    assert desk.ledger.of(7).label == "yes"
    with pytest.raises(InputError, match="the answer is yes or no; it is 'perhaps'"):
        desk.answer([7], "perhaps", key="b", pile="doubts")
    assert desk.state()["several"]


def test_answers_go_into_a_table_and_back(desk):
    desk.answer([7], "no", key="a", pile="doubts")
    desk.answer([8], None, key="b", pile="ask")
    table = table_of(desk.ledger, NAMES)
    assert table[["row", "cell", "label"]].to_numpy().tolist() == [["4", "sad", "no"], ["5", "calm", ""]]
    back = list(answers_of(table, 90, "answers.csv", NAMES))
    assert [(each.row, each.label) for each in back] == [(7, "no"), (8, None)]
    elsewhere = pd.DataFrame({"row": [1, 2, 3], "cell": ["sad", "calm", "sad"], "label": ["1", "FALSE", ""]})
    assert [(each.row, each.label) for each in answers_of(elsewhere, 90, "mine.csv", NAMES)] == [
        (1, "yes"),
        (2, "no"),
    ]


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [("cell", "glad", "there is no label 'glad'"), ("label", "maybe", "is yes or no; it is 'maybe'")],
)
def test_what_a_file_says_of_cells_that_there_are_not_is_refused(column, value, words):
    frame = pd.DataFrame({"row": [1], "cell": ["sad"], "label": ["yes"]}).assign(**{column: value})
    with pytest.raises(InputError, match=words):
        list(answers_of(frame, 90, "mine.csv", NAMES))
    with pytest.raises(InputError, match="has no column 'cell'"):
        list(answers_of(frame.drop(columns="cell"), 90, "mine.csv", NAMES))


def test_a_person_answers_cells_and_the_classifier_learns_them(songs):
    clf, X, truth = songs
    with review(clf, X) as page:
        named = np.where(truth.ravel() == 1, "yes", "no").tolist()
        assert answer_pile(page.url, named, "ask", 6) == 6
        found = page.answers()
    assert set(found["cell"]) <= set(NAMES)
    places = [NAMES.index(name) for name in found["cell"]]
    assert_array_equal(found["label"].astype(float), truth[found["row"], places])
    y = pd.DataFrame(clf.transduction_, columns=NAMES).astype(float).mask(clf.labeled_iter_ != 0)
    again = csa(committee=GaussianNB(), random_state=0).learn(found["row"], found["label"], found["cell"])
    fitted = again.fit(X, y)
    assert_array_equal(fitted.transduction_[found["row"], places], truth[found["row"], places])


def test_the_page_is_told_what_cells_are_called(desk):
    with served(desk) as serving:
        person = Person(serving.url, "Ann")
        card = person.ask("next", pile="ask")["card"]
        row, label = divmod(card["row"], 2)
        assert card["name"] == f"row {row + 1}, {NAMES[label]}"
        told = person.tell("answer", rows=[card["row"]], label="no", pile="ask", seen=card["seen"], next=True)
        assert told["state"]["recent"][0]["name"] == card["name"]


def test_classes_in_the_form_of_cells_are_shown_as_classes(songs):
    _, X, truth = songs
    y = pd.DataFrame({"calm": truth[:, 0], "wild": 1 - truth[:, 0]})
    y.iloc[40:] = np.nan
    clf = csa(committee=Repeated(trees(5), 3), labels_per_row=1, guard=False, random_state=0).fit(X, y)
    subject = subject_of(clf, X)
    assert (subject.asked, subject.classes) == ((), ("calm", "wild"))
    assert_array_equal(subject.label[:40], np.where(truth[:40, 0] == 1, "calm", "wild"))
