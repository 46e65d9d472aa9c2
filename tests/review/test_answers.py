"""Answers on disk, and which of them stand."""

import json
import sqlite3
import subprocess
import sys
import threading

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surelabel.files import InputError
from surelabel.review.answers import Answer, AnswerFile, answers_in
from surelabel.review.exchange import answers_of, frame_of, table_of
from surelabel.review.standing import Ledger, standing


@pytest.fixture
def file(tmp_path):
    file = AnswerFile(tmp_path / "answers.sqlite", {"data": "d1"})
    yield file
    file.close()


def test_an_answer_is_in_the_file_when_add_returns_and_once_however_often_it_is_sent(file):
    first = file.add([Answer("k", 3, "owl", "ask", who="Ann", shown={"guess": "cat <b>"})])
    again = file.add([Answer("k", 3, "owl", "ask", who="Ann")])
    assert first == again
    # Another process sees it: nothing waits in this one.
    query = "execute('SELECT * FROM answers').fetchall()"
    code = f"import sqlite3; print(sqlite3.connect({str(file.path)!r}).{query})"
    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert seen.count("owl") == 1
    assert answers_in(file.path)[0].shown == {"guess": "cat <b>"}


def test_it_is_synced_at_each_commit(file):
    assert file._database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert file._database.execute("PRAGMA synchronous").fetchone() == (2,)


def test_many_at_once_are_written_all_or_none(file):
    with pytest.raises(Exception, match="not saved"):
        file.add([Answer("a", 1, "owl"), Answer("b", None, "owl")])
    assert file.after(0) == []


def test_two_files_and_many_threads_write_at_once_and_nothing_is_lost(file):
    other = AnswerFile(file.path)

    def write(to, name):
        for k in range(40):
            to.add([Answer(f"{name}{k}", k, name)])

    threads = [threading.Thread(target=write, args=each) for each in [(file, "a"), (file, "b"), (other, "c")]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = other.after(0)
    other.close()
    assert len(found) == 120
    assert [each.number for each in found] == list(range(1, 121))


def test_other_files_are_refused_in_words(tmp_path, file):
    with pytest.raises(InputError, match="about another table"):
        AnswerFile(file.path, {"data": "d2"})
    (tmp_path / "text").write_text("no database at all, but text" * 10)
    with pytest.raises(InputError, match="cannot be opened as a file of answers"):
        AnswerFile(tmp_path / "text")
    with sqlite3.connect(tmp_path / "other") as database:
        database.execute("CREATE TABLE mine (x)")
    database.close()
    with pytest.raises(InputError, match="not a file of answers"):
        AnswerFile(tmp_path / "other")
    assert answers_in(tmp_path / "nothing") == []


def test_undo_brings_back_what_was_before():
    first, second = Answer("a", 0, "owl", number=1), Answer("b", 0, "cat", number=2, seen=1)
    undo = Answer("c", 0, "cat", number=3, undoes=2)
    assert standing([first, second]) == (second,)
    assert standing([first, second, undo]) == (first,)
    ledger = Ledger([first, second])
    assert ledger.of(0).label == "cat"
    ledger.add([undo, Answer("d", 0, "owl", number=4, undoes=1)])
    assert ledger.of(0) is None
    assert ledger.recent() == []


def test_people_who_do_not_know_of_each_other_do_not_overwrite_each_other():
    ann = Answer("a", 0, "owl", who="Ann", number=1)
    bo = Answer("b", 0, "cat", who="Bo", number=2)
    ledger = Ledger([ann, bo])
    assert ledger.of(0).disputed
    assert ledger.of(0).label is None
    ledger.add([Answer("c", 0, "cat", who="Ann", number=3, seen=2)])
    assert ledger.of(0).label == "cat"
    assert not Ledger([ann, Answer("d", 0, "owl", who="Bo", number=2)]).of(0).disputed


RECORDS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.sampled_from(["owl", "cat", None]),
        st.sampled_from(["Ann", "Bo"]),
        st.integers(0, 12),
        st.one_of(st.none(), st.integers(1, 12)),
    ),
    max_size=12,
)


@given(RECORDS)
def test_what_stands_does_not_depend_on_how_the_records_came_in(drawn):
    records = [
        Answer(str(k), row, label, who=who, number=k + 1, seen=min(seen, k))
        if undoes is None or undoes > k or drawn[undoes - 1][4] is not None
        else Answer(str(k), drawn[undoes - 1][0], label, who=who, number=k + 1, undoes=undoes)
        for k, (row, label, who, seen, undoes) in enumerate(drawn)
    ]
    one_by_one = Ledger()
    for record in records:
        one_by_one.add([record])
    assert dict(one_by_one.items()) == dict(Ledger(records).items())


def test_answers_go_to_a_table_and_back(file):
    file.add(
        [
            Answer("a", 0, "owl", "ask", who="Ann", shown={"guess": "cat", "probability": 0.5}),
            Answer("b", 4, None, "audit", at_random=True, who="Bo"),
            Answer("c", 5, "=1+1", "browse"),
        ]
    )
    ledger = Ledger(file.after(0))
    back = list(answers_of(table_of(ledger), 6, "answers.csv"))
    again = Ledger(Answer(**vars(each) | {"number": k + 1}) for k, each in enumerate(back))
    columns = ["row", "label", "pile", "at_random", "who", "at"]
    assert frame_of(again)[columns].equals(frame_of(ledger)[columns])
    file.add(back)
    n = len(file.after(0))
    file.add(back)
    assert len(file.after(0)) == n


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ({"label": ["owl"]}, "no column 'row'"),
        ({"row": ["7"], "label": ["owl"]}, "no row '7'; rows are from 1 to 6"),
        ({"row": ["x"], "label": ["owl"]}, "no row 'x'"),
        ({"row": ["1"], "label": ["owl"], "pile": ["heap"]}, "no pile 'heap'"),
        ({"row": ["1"], "label": ["owl"], "at_random": ["maybe"]}, "true or false"),
    ],
)
def test_bad_tables_of_answers_are_refused_with_the_line(frame, words):
    with pytest.raises(InputError, match=words):
        list(answers_of(pd.DataFrame(frame), 6, "answers.csv"))


def test_labels_from_elsewhere_are_no_random_sample():
    (only,) = answers_of(pd.DataFrame({"row": [2.0, 3.0], "label": ["owl", None]}), 6, "a.csv")
    assert (only.row, only.label, only.pile, only.at_random) == (1, "owl", "file", False)
    assert json.dumps(dict(only.shown)) == "{}"
