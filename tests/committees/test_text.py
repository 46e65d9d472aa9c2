"""Free text as numbers: laws of terms, of directions, and of the encoders that show them to models."""

import pickle
import random
import unicodedata
from copy import copy, deepcopy

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from surelabel.committees.text import Terms, TextSpace, joined
from surelabel.committees.text_encoding import TextBesideNumbers, TextBesideTable, WholeRow, Words
from surelabel.saving.model_file import load, save

REMARKS = [
    "The printer is out of paper again",
    "the PRINTER jams, paper everywhere!",
    "Ma facture n'a pas été payée, où est-elle ?",
    "La facture d'été est payée deux fois",
    "打印机坏了,请尽快修理",
    "打印机没有纸了",
    "الطابعة لا تعمل منذ أمس",
    "الفاتورة لم تدفع بعد",
    "เครื่องพิมพ์ไม่ทำงาน",
    "I am locked out of my account 🔒🔒",
    "",
    None,
    "?!... --- ,,,",
    "🎉🎉🎉",
    "ﬁle № Ⅷ of Ｆｕｌｌ width",
]
UNSEEN = [
    "Der Drucker druckt nicht",
    "프린터가 고장났어요",
    "x",
    " ",
    "\n\t",
    "\u0301",
    "\ud83d",
    "a\u2028b\x85c",
    None,
]


def table(remarks=REMARKS):
    """One column of text."""
    return pd.DataFrame({"remark": pd.Series(remarks, dtype=object)})


def beside(remarks=REMARKS):
    """Text beside a number with gaps and a category."""
    rows = np.arange(len(remarks))
    return table(remarks).assign(
        size=np.where(rows % 4 == 0, np.nan, rows * 1.5),
        colour=pd.Categorical(np.array(["red", "blue"])[rows % 2]),
    )


def dense(X):
    return X.toarray() if hasattr(X, "toarray") else X


ENCODERS = {
    "Terms": Terms,
    "TextSpace": TextSpace,
    "Words": Words,
    "WholeRow": WholeRow,
    "TextBesideTable": lambda: TextBesideTable(5, scale=2.0),
    "TextBesideTable alone": lambda: TextBesideTable(5, table=False),
    "TextBesideNumbers": lambda: TextBesideNumbers(3),
}


@pytest.fixture(params=ENCODERS)
def encoder(request):
    """Each transformer of text, to be fitted."""
    return ENCODERS[request.param]()


def test_rows_of_terms_have_length_one_or_zero():
    terms = Terms().fit(table())
    lengths = np.linalg.norm(terms.transform(table(REMARKS + UNSEEN)).toarray(), axis=1)
    assert_allclose(lengths, np.round(lengths), atol=1e-6)
    assert set(np.round(lengths)) == {0.0, 1.0}
    empty = [not cell or not cell.strip() for cell in REMARKS]
    assert not lengths[: len(REMARKS)][empty].any()


def test_every_script_gives_terms():
    X = table([remark for remark in REMARKS if remark and any(map(str.isalnum, remark))])
    terms = Terms().fit(X)
    assert (np.diff(terms.transform(X).indptr) > 0).all()
    assert {"été", "印", "الطابعة", "พ", "printer"} <= set(terms.words_.split("\n"))


def test_order_of_rows_does_not_matter_to_terms(rng):
    rows = rng.permutation(len(REMARKS))
    one, other = Terms().fit(table()), Terms().fit(table().iloc[rows])
    assert (one.words_, one.parts_) == (other.words_, other.parts_)
    assert_array_equal(one.rarity_, other.rarity_)
    assert_array_equal(one.transform(table()).toarray()[rows], other.transform(table().iloc[rows]).toarray())


def test_order_of_rows_does_not_matter_to_how_alike_rows_are(rng):
    """The sign of a direction means nothing, how alike two rows are does."""
    rows = rng.permutation(len(REMARKS))
    one, other = TextSpace().fit_transform(table()), TextSpace().fit_transform(table().iloc[rows])
    assert_allclose((one @ one.T)[np.ix_(rows, rows)], other @ other.T, atol=0.01)


def test_what_a_row_gives_does_not_depend_on_the_rows_beside_it(encoder):
    encoder.fit(beside())
    whole = dense(encoder.transform(beside()))
    each = [dense(encoder.transform(beside().iloc[[row]])) for row in range(len(REMARKS))]
    assert_array_equal(whole, np.vstack(each))


def test_known_rows_give_exactly_what_newly_read_ones_give(encoder):
    encoder.fit(beside())
    known = dense(encoder.transform(beside()))
    anew = dense(pickle.loads(pickle.dumps(encoder)).transform(beside()))
    assert_array_equal(known, anew)
    # Known and new rows in one table.
    mixed = pd.concat([beside(UNSEEN), beside()], ignore_index=True)
    assert_array_equal(dense(encoder.transform(mixed))[len(UNSEEN) :], known)


def test_copies_and_files_give_exactly_the_same(encoder, tmp_path):
    X = beside(REMARKS + UNSEEN)
    expected = dense(encoder.fit(beside()).transform(X))
    save(encoder, tmp_path / "encoder.surelabel")
    others = copy(encoder), deepcopy(encoder), load(tmp_path / "encoder.surelabel")
    for other in others:
        assert_array_equal(dense(other.transform(X)), expected)


def test_unseen_text_gives_numbers(encoder):
    seen = dense(encoder.fit(beside()).transform(beside()))
    unseen = dense(encoder.transform(beside(UNSEEN)))
    assert unseen.shape == (len(UNSEEN), seen.shape[1])
    text = unseen[:, 2:] if isinstance(encoder, TextBesideNumbers) else unseen
    assert np.isfinite(text).all()


def test_a_table_without_rows_gives_none(encoder):
    X = beside().drop(columns="colour")
    width = dense(encoder.fit(X).transform(X)).shape[1]
    assert dense(encoder.transform(X.iloc[:0])).shape == (0, width)


def test_fitted_again_it_is_as_if_fitted_once(encoder):
    other = beside(["a green bird sings", "two green birds sing", "no bird", "a bird"])
    encoder.fit(other).transform(beside())
    again = dense(encoder.fit(beside()).transform(beside()))
    fresh = clone(encoder)
    assert_array_equal(again, dense(fresh.fit(beside()).transform(beside())))


def test_one_letter_has_one_form():
    spelled = ["Café ﬁle Ⅷ", "CAFÉ FILE VIII", "cafe\u0301 file viii", "Ｃａｆé ｆｉｌｅ Ⅷ"]
    assert len(set(joined(table(spelled)))) == 1
    terms = Terms().fit(table())
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        written = [cell and unicodedata.normalize(form, cell) for cell in REMARKS]
        assert_array_equal(terms.transform(table(written)).toarray(), terms.transform(table()).toarray())
        upper = [cell and cell.upper() for cell in written]
        assert_array_equal(terms.transform(table(upper)).toarray(), terms.transform(table()).toarray())


def test_text_of_all_columns_is_read():
    X = pd.DataFrame({"subject": ["red ball", None], "size": [1.0, 2.0], "body": [None, "blue car"]})
    assert [text.split() for text in joined(X)] == [["red", "ball"], ["blue", "car"]]
    assert joined(X[["size"]]) == ["", ""]


def test_a_cell_of_a_million_letters_is_cut():
    long = table(["word " * 200_000 + "end", "word " * 200_000 + "other", "a word"])
    assert max(map(len, joined(long))) <= 5_000
    terms = Terms().fit(long)
    assert terms.words_.split("\n") == ["a", "word"]
    assert_array_equal(terms.transform(long)[0].toarray(), terms.transform(long)[1].toarray())
    # A letter may stand for eighteen.
    assert max(map(len, joined(table(["\ufdfa" * 10**6])))) < 100_000


@pytest.mark.parametrize(
    "remarks", [["same words here"] * 9, ["Same words", "same WORDS"], ["one"], [None, ""], ["!", "?"]]
)
def test_texts_that_do_not_differ_give_no_warning_and_no_gaps(remarks, encoder):
    shown = dense(encoder.fit(beside(remarks)).transform(beside(remarks)))
    text = shown[:, 2:] if isinstance(encoder, TextBesideNumbers) else shown
    assert shown.shape[0] == len(remarks)
    assert np.isfinite(text).all()


def test_encoders_share_a_space_and_show_it_beside_other_columns():
    space = TextSpace().fit(beside())
    n = space.directions_.shape[1]
    rows, terms = len(REMARKS), len(space.terms_)
    widths = [
        (Words(), terms),
        (WholeRow(), terms + n + 3),
        (TextBesideTable(4), 3 + 4),
        (TextBesideTable(4, table=False), 4),
        (TextBesideNumbers(4), 2 + 4),
    ]
    for encoder, width in widths:
        assert encoder.fit(beside(), space=space).transform(beside()).shape == (rows, width)
        assert encoder.space_ is space
        assert not encoder.idle_


def test_encoders_of_text_alone_show_text_alone():
    for encoder in (WholeRow(), TextBesideTable(4), TextBesideNumbers(4), Words()):
        assert np.isfinite(dense(encoder.fit(table()).transform(table()))).all()
        assert encoder.fit(table([None, "", "?"])).idle_


def by_hand(words, parts="", n=None):
    """Fitted terms, as a file brings them."""
    terms = Terms()
    terms.words_, terms.parts_ = words, parts
    names = [name for names in (words, parts) if names for name in names.split("\n")]
    terms.rarity_ = np.ones(len(names) if n is None else n, dtype=np.float32)
    return terms


def test_50_000_terms_take_at_most_a_megabyte(tmp_path):
    """Sizes of files must not depend on luck: the letters are drawn, so they compress worse than words do."""
    draw = random.Random(0)
    names = sorted({"".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(50_100)})[:50_000]
    terms = by_hand("\n".join(names[:25_000]), "\n".join(names[25_000:]))
    terms.rarity_ = np.random.default_rng(0).uniform(1, 10, 50_000).astype(np.float32)
    path = tmp_path / "terms.surelabel"
    save(terms, path)
    assert path.stat().st_size <= 1_000_000
    X = table([" ".join(names[::1000]), names[3]])
    read = load(path).transform(X)
    assert read.shape == (2, 50_000)
    assert_array_equal(read.toarray(), terms.transform(X).toarray())
    # What was read is no part of the file.
    save(terms, path)
    assert path.stat().st_size <= 1_000_000


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        (by_hand("red\nblue", n=3), "2 terms, and 3 weights"),
        (by_hand("red\nblue", "ed \nlue", n=2), "4 terms, and 2 weights"),
        (by_hand("", n=1), "0 terms, and 1 weights"),
        (by_hand("red\nblue\nred"), "'red' .* twice"),
        (by_hand("red", "ed \nlue\nlue"), "'lue' .* twice"),
    ],
)
def test_a_damaged_vocabulary_is_refused_each_time(terms, told, tmp_path):
    save(terms, tmp_path / "terms.surelabel")
    loaded = load(tmp_path / "terms.surelabel")
    for _ in range(2):
        with pytest.raises(ValueError, match=told):
            loaded.transform(table())


def test_a_word_may_be_a_part_of_a_word_too():
    terms = by_hand("red", "red")
    assert terms.transform(table(["a redder red"])).shape == (1, 2)
