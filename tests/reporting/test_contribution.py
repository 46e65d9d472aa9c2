import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.naive_bayes import GaussianNB

from surelabel import Columns, csa, pl, report
from surelabel.reporting import classifier_charts
from surelabel.reporting.class_words import class_words
from surelabel.reporting.column_section import MOST_CLASSES, column_section, contribution_frame
from surelabel.reporting.contribution import contributions, differing
from surelabel.reporting.page import page

ENGLISH = [["refund", "invoice", "card"], ["crash", "screen", "freeze"], ["parcel", "courier", "late"]]
CHINESE = [["退款", "发票", "信用卡"], ["崩溃", "屏幕", "死机"], ["包裹", "快递", "延误"]]
COMMON = {
    " ": [
        "the",
        "a",
        "my",
        "is",
        "was",
        "please",
        "help",
        "with",
        "and",
        "this",
        "it",
        "for",
        "not",
        "you",
        "have",
        "since",
    ],
    "": ["请问", "我的", "昨天", "已经", "可以", "怎么", "谢谢", "还是", "没有", "一下", "你们", "这个"],
}


def ask(X):
    """The first column decides, the second helps a little."""
    X = np.asarray(X.todense() if sp.issparse(X) else X, dtype=float)
    p = 1 / (1 + np.exp(-4 * X[:, 0] - 0.5 * X[:, 1]))
    return np.column_stack([1 - p, p])


def planted(topics, between, n=400, seed=0):
    """Texts of common words, with two of those of their class among them."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, len(topics), n)
    texts = [
        between.join(
            rng.permutation([*rng.choice(COMMON[between], 6), *rng.choice(topics[c], 2, replace=False)])
        )
        for c in code
    ]
    return texts, code


def tickets(n=240):
    texts, code = planted(ENGLISH, " ", n)
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "noise": rng.normal(size=n),
            "score": code + rng.normal(0, 0.05, n),
            "message": texts,
            "at": pd.date_range("2024-01-01", periods=n, freq="31h"),
            "ticket_id": np.arange(500, 500 + n),
            "country": "NL",
        }
    )
    y = pd.Series(np.array(["billing", "technical", "shipping"])[code]).mask(np.arange(n) % 4 > 0)
    return X, y


class ByScore(GaussianNB):
    """Reads the column `score` alone."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X[["score"]].to_numpy(), y, sample_weight)

    def predict_proba(self, X):
        return super().predict_proba(X[["score"]].to_numpy())


@pytest.fixture(scope="module")
def fitted():
    X, y = tickets()
    return pl(committee=ByScore(), guard=False).fit(X, y), X


# ---- contributions


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, pd.DataFrame])
def test_what_decides_contributes_most_and_noise_nothing(form, rng):
    X = rng.normal(size=(150, 4))
    found = contributions(ask, form(X), {"decides": [0], "helps": [1], "noise": [2, 3]})
    assert found["decides"].fall > found["helps"].fall > found["noise"].fall == 0
    assert found["decides"].changed > found["helps"].changed >= found["noise"].changed == 0


def test_every_form_of_a_table_gives_the_same(rng):
    X, groups = rng.normal(size=(80, 3)), {"a": [0, 2], "b": [1]}
    found = [contributions(ask, form(X), groups) for form in (np.asarray, sp.csr_matrix, pd.DataFrame)]
    for other in found[1:]:
        for name in groups:
            assert_allclose(other[name].fall, found[0][name].fall)


def test_columns_of_one_origin_are_mixed_up_together(rng):
    """A date and its month fit together in every row that is asked about."""
    table = pd.DataFrame({"day": np.arange(40.0), "noise": rng.random(40)}).assign(
        month=lambda x: x["day"] * 2
    )
    seen = []

    def watched(X):
        seen.append(X)
        return ask(X[["day", "noise"]])

    contributions(watched, table, {"day": [0, 2], "noise": [1]})
    assert sum(len(X) for X in seen) == 3 * 40
    assert all((X["month"] == 2 * X["day"]).all() for X in seen)
    assert list(table["day"]) == list(range(40))


def test_questions_are_in_blocks_and_no_row_keeps_its_value():
    X = np.column_stack([np.arange(200.0), *np.zeros((59, 200))])
    sizes = []

    def watched(X):
        sizes.append(len(X))
        return ask(X)

    found = contributions(watched, X - 100, {j: [j] for j in range(60)})
    assert list(found) == list(range(60))
    assert max(sizes) <= 4000
    assert sum(sizes) == 61 * 200
    moved = []
    contributions(lambda Z: moved.append(Z) or ask(Z), X, {0: [0]})
    assert (moved[1][:, 0] != X[:, 0]).all()
    assert sorted(moved[1][:, 0]) == sorted(X[:, 0])


def test_one_row_tells_nothing():
    assert contributions(ask, np.zeros((1, 2)), {"a": [0]}) == {}


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, pd.DataFrame])
def test_of_many_columns_those_that_differ_between_classes_are_tried(form, rng):
    X = rng.normal(size=(200, 50))
    guess = (X[:, 7] + X[:, 31] > 0).astype(int)
    assert differing(form(X), guess, {j: [j] for j in range(50)}, 2) == [7, 31]


def test_gaps_text_and_constants_are_ranked_too(rng):
    guess = np.arange(60) % 2
    table = pd.DataFrame(
        {"gap": np.nan, "same": 1.0, "tells": np.where(guess, 1.0, np.nan), "noise": rng.random(60)}
    )
    table["other"], table["tells"] = rng.random(60), guess + 0.1 * rng.random(60)
    table["text"] = "some words"
    groups = {name: [j] for j, name in enumerate(table)}
    assert differing(table, guess, groups, 2) == ["tells", "text"]


# ---- words


@pytest.mark.parametrize(("topics", "between"), [(ENGLISH, " "), (CHINESE, "")])
def test_words_are_those_that_were_planted(topics, between):
    texts, code = planted(topics, between)
    found = class_words(texts, code, 3, most=3)
    assert [set(words) for words in found] == [set(words) for words in topics]


def test_words_that_are_common_to_all_are_not_told():
    texts, code = planted(ENGLISH, " ")
    told = {word for words in class_words(texts, code, 3) for word in words}
    assert told <= {word for words in ENGLISH for word in words}


def test_few_classes_get_a_word_by_chance(rng):
    """Where classes have nothing to do with texts, at most one in a hundred gets a word, on average."""
    texts, code = planted(ENGLISH, " ", 200)
    told = [words for _ in range(40) for words in class_words(texts, rng.permutation(code), 3) if words]
    assert len(told) <= 5  # of 120; more come about once in 700 times


def test_of_thousands_of_words_none_is_told_by_chance(rng):
    texts = [" ".join(f"word{i}" for i in rng.integers(0, 3000, 40)) for _ in range(600)]
    assert class_words(texts, rng.integers(0, 3, 600), 3) == [[], [], []]


def test_a_word_of_one_row_is_not_told():
    texts = ["common unique", *["common thing"] * 3, *["common other"] * 20]
    assert class_words(texts, np.array([0] * 4 + [1] * 20), 2)[0] == ["thing"]


@pytest.mark.parametrize("texts", [["", "", ""], ["!", "?", "..."], []])
def test_no_words_are_told_of_no_text(texts):
    assert class_words(texts, np.zeros(len(texts), dtype=int), 2) == [[], []]


# ---- a classifier


def test_columns_of_a_classifier_are_told_with_kind_and_reason(fitted):
    clf, X = fitted
    section = column_section(clf, X)
    lines = {line.name: line for line in section.lines}
    assert section.lines[0].name == "score"
    assert lines["score"].contribution.fall > 0.3
    for name in ("noise", "message", "at"):
        assert lines[name].contribution.fall == lines[name].contribution.changed == 0
    assert [line.name for line in section.lines[-2:]] == ["ticket_id", "country"]
    assert [line.kind for line in section.lines[-2:]] == ["identifier", "constant"]
    assert all(line.why for line in section.lines[-2:])
    assert section.n_rows == min(200, len(clf.pseudo_labels_))
    words = dict(section.words)
    assert {"refund", "invoice", "card"} == set(words["billing"])
    assert column_section(clf, X) == section
    assert column_section(clf, X[X.columns[::-1]].assign(more=1)) == section
    assert column_section(clf, X[clf.labeled_iter_ != 0]) == section


def test_nothing_is_told_where_x_is_not_the_table_of_the_fit(fitted):
    clf, X = fitted
    assert column_section(clf, None) is None
    assert column_section(clf, X.drop(columns="score")) is None
    assert column_section(clf, X.assign(score="of another kind")) is None
    assert "What the columns contribute" not in page(clf)
    with pytest.raises(ValueError, match="not the table of the fit"):
        clf.plot.columns(X.drop(columns="score"))


def test_a_function_that_was_not_saved_is_not_missed(fitted):
    X, y = tickets()
    columns = Columns(embedding={"message": lambda texts: np.array([[len(text)] for text in texts])})
    clf = pl(committee=ByScore(), guard=False, columns=columns).fit(X, y)
    assert column_section(clf, X).words == ()
    clf.columns_ = clf.columns_.without_functions()
    assert column_section(clf, X) is None


def test_columns_of_arrays_go_by_their_numbers(blobs, committee):
    X, y, _ = blobs
    clf = csa(committee=committee, guard=False, random_state=0).fit(X, y)
    section = column_section(clf, X)
    assert {line.name for line in section.lines} == {f"column {j}" for j in range(X.shape[1])}
    assert section.words == ()
    assert column_section(clf, X[:, :1]) is None


def test_of_very_many_columns_some_are_tried_and_it_is_said(rng):
    X = rng.normal(size=(300, 450))
    y = (X[:, 3] > 0).astype(object)
    X[:, 3] *= 5
    y[100:] = None
    section = column_section(pl(committee=GaussianNB(), guard=False).fit(X, y), X)
    assert sum(line.contribution is not None for line in section.lines) == 200
    assert section.n_rows == 50
    assert any("Of 450 columns, 200 were tried" in note for note in section.notes)


@pytest.mark.filterwarnings("ignore:The number of unique classes:UserWarning")
def test_words_are_told_of_the_classes_that_are_most_frequent():
    codes = np.arange(1200) % 35
    codes[:60] = 34
    X = pd.DataFrame(
        {
            "text": [
                f"this is all about thing{c} and nothing else but {i % 11} words" for i, c in enumerate(codes)
            ]
        }
    )
    y = pd.Series([f"class {c}" for c in codes]).mask(np.arange(1200) % 3 > 0)

    class Reads(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            return super().fit(self._numbers(X), y, sample_weight)

        def predict_proba(self, X):
            return super().predict_proba(self._numbers(X))

        def _numbers(self, X):
            return X["text"].str.extract(r"thing(\d+)").astype(float).to_numpy()

    section = column_section(pl(committee=Reads(), guard=False, columns=Columns(text=["text"])).fit(X, y), X)
    assert len(section.words) == MOST_CLASSES
    assert section.words[0] == ("class 34", ("thing34",))
    assert any("30 classes" in note for note in section.notes)


def test_the_page_and_the_chart_show_it(fitted, tmp_path):
    clf, X = fitted
    column = {"name": "secret", "kind": "dropped", "why": "left out by hand"}
    html = report(clf, tmp_path / "report.html", X=X, details={"columns": [column]}).read_text()
    for piece in (
        "What the columns contribute",
        "Words that speak",
        ">refund<",
        "left out by hand",
        "not used",
    ):
        assert piece in html
    assert clf.plot.columns(X).to_dict()["mark"]["type"] == "bar"
    frame = contribution_frame(column_section(clf, X))
    assert classifier_charts.columns(frame.iloc[:0]).to_dict()["mark"]["type"] == "bar"


def test_pages_of_several_labels_leave_it_out(tmp_path, rng):
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=list("abc"))
    y = (X[["a", "b"]] > 0).astype(float)
    y[np.arange(120) % 3 > 0] = np.nan
    clf = pl(committee=GaussianNB(), guard=False)
    report(clf.fit(X, y), tmp_path / "report.html", X=X)
    pages = sorted(tmp_path.iterdir())
    assert len(pages) == 3
    assert not any("What the columns contribute" in each.read_text() for each in pages)
