import json
import re
from functools import cache
from html import unescape
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from browser import Tab, browser_path, started
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

from surelabel import (
    Budget,
    Columns,
    Everything,
    PseudoLabelClassifier,
    Repeated,
    Round,
    Status,
    Threshold,
    TTest,
    Unlike,
    csa,
    load,
    report,
    trees,
)
from surelabel.heldout import Verdict
from surelabel.model_selection import hide_labels
from surelabel.reporting import about, charts, data, names, words
from surelabel.reporting.page import _class_lines, as_json, page
from surelabel.reporting.promise_section import _not_sampled
from surelabel.rounds.records import Sketch

MARKUP = [
    "<script>window.hacked=1</script>",
    "</script><img src=x onerror=window.hacked=2>",
    '"><svg/onload=alert(1)> 🦊🎉',
    "{{ 7 * 7 }} ${window.hacked=3} <!--",
    "two\nlines\tand \u202egnp.exe",
    "https://example.invalid/a.png",
]


def simulated(n=400, k=4, classes=None, found=0.6, n_rounds=3, seed=0):
    """A classifier as if fitted on n rows, a tenth of them labelled: what is told of a run, without it."""
    rng = np.random.default_rng(seed)
    clf = PseudoLabelClassifier(random_state=seed)
    clf.classes_ = np.array(
        list(range(k)) if classes is None else classes, dtype=None if classes is None else object
    )
    k = len(clf.classes_)
    p = rng.dirichlet(np.full(k, 0.6 / k), n)
    order = np.argsort(-p, axis=1)
    best, second = order[:, 0], order[:, 1]
    gap = p[np.arange(n), best] - p[np.arange(n), second]
    given = np.arange(n) < max(n // 10, k)
    best[:k] = np.arange(k)
    sure = gap > 0.5
    chosen = sure & (rng.random(n) < found) & ~given
    when = np.where(given, 0, np.where(chosen, rng.integers(1, n_rounds + 1, n), -1))
    status = np.where(chosen, Status.ACCEPTED, np.where(sure, Status.SLACK, Status.UNSURE))
    name = clf.classes_[best]
    clf.transduction_ = np.where(when >= 0, name, None)
    clf.labeled_iter_ = when
    clf.pseudo_labels_ = pd.DataFrame(
        {
            "label": np.where(chosen, name, None),
            "guess": name,
            "probability": p[np.arange(n), best],
            "gap": gap,
            "confidence": 3 * (gap - 0.5) + rng.normal(0, 0.05, n),
            "runner_up": clf.classes_[second],
            "round": when,
            "status": [str(why) for why in status],
        }
    )[~given]
    clf.class_prior_ = np.full(k, 1 / k)
    clf.history_ = []
    pool = int((~given).sum())
    for number in range(1, n_rounds + 1):
        rows = np.flatnonzero(when == number)
        some = np.flatnonzero(sure & ~given)[:200]
        clf.history_.append(
            Round(
                number=number,
                budget=Budget(0.3, clf.class_prior_, pool),
                candidates=min(int(0.8 * pool) + len(rows), pool),
                selected=np.bincount(best[rows], minlength=k),
                negatives=0,
                rows=rows,
                codes=best[rows],
                seconds={"train": 1.5, "predict": 0.2, "allocate": 0.1},
                sketch=Sketch(some, p[some], p[some], np.where(when[some] == number, best[some], -1))
                if len(some)
                else None,
            )
        )
        pool -= len(rows)
    clf.n_iter_, clf.termination_condition_ = n_rounds, "max_iter"
    clf.verdict_ = Verdict(0.80, 0.84, 4.0, 1.1, 143, 2.0) if chosen.any() else None
    clf.estimator_ = committee = Unlike()
    committee.predict_proba = lambda X: np.full((X.shape[0], k), 1 / k)
    committee.scores_ = {"linear": 0.9, "trees": 0.8}
    committee.weights_, committee.seats_ = {"linear": 0.75, "trees": 0.25}, {"linear": 20}
    clf.columns_, clf.n_features_in_ = Columns(), 3
    clf.columns_.fit_transform(np.zeros((1, 3)))
    return clf


@cache
def digits():
    X, y = load_digits(return_X_y=True, as_frame=True)
    clf = csa(committee=Repeated(trees(10), n_members=3), random_state=0, guard=False)
    return clf.fit(X, hide_labels(y, 0.9, random_state=0)), X, y


# ---- data: counts are exact


def test_rounds_add_up_to_the_pool():
    clf, _, _ = digits()
    frame = data.rounds(clf)
    assert frame.groupby("round")["rows"].sum().tolist() == [round.pool for round in clf.history_]
    labelled = frame[frame["outcome"] == data.ACCEPTED]["rows"].sum()
    assert labelled == clf.pseudo_labels_["label"].notna().sum()
    by_class = data.round_classes(clf).groupby("class")["rows"].sum()
    counts = clf.pseudo_labels_["label"].dropna().astype(int).astype(str).value_counts()
    assert by_class.to_dict() == counts.to_dict()


def test_counts_stay_exact_where_rows_are_thinned():
    clf = simulated(100_000, 5)
    table = data.rows(clf)
    assert len(table) == data.MOST_ROWS
    assert table["row"].is_unique
    classes = data.classes(clf)
    assert classes["given"].sum() == 10_000
    assert classes["found"].sum() == clf.pseudo_labels_["label"].notna().sum()
    assert classes["found"].sum() + classes["left"].sum() == 90_000
    assert sum(line["rows"] for line in words.reasons(clf)) == 90_000
    least = clf.pseudo_labels_["gap"].nsmallest(100).index.astype(str)
    assert set(least) <= set(table["row"])
    assert_array_equal(data.worth_a_look(clf), data.worth_a_look(clf))


def test_truth_is_taken_for_all_rows_or_for_the_unlabelled_ones():
    clf, _, y = digits()
    unlabeled, said = clf.labeled_iter_ != 0, clf.pseudo_labels_["label"]
    assert_array_equal(data.rightness(clf, y, said), data.rightness(clf, y[unlabeled], said))
    found = clf.pseudo_labels_["label"].notna().to_numpy()
    right = (clf.transduction_ == y)[unlabeled & (clf.labeled_iter_ > 0)].mean()
    assert_allclose(data.rightness(clf, y, said)[found].mean(), right)
    weighted = data.accuracy(clf, y)
    assert_allclose(np.average(weighted["accuracy"], weights=weighted["rows"]), right)
    assert (weighted["low"] <= weighted["accuracy"]).all()
    assert (weighted["accuracy"] <= weighted["high"] + 1e-12).all()
    with pytest.raises(ValueError, match=r"y_true has 7 rows; the fit had 1797"):
        data.rightness(clf, y[:7], said)


def test_truth_may_be_missing_or_of_a_class_not_known():
    clf = simulated(50, 3)
    truth = clf.pseudo_labels_["guess"].astype(object).to_numpy().copy()
    truth[0], truth[1] = None, "new"
    right = data.rightness(clf, truth, clf.pseudo_labels_["guess"])
    assert np.isnan(right[0])
    assert right[1] == 0
    assert (right[2:] == 1).all()


def test_class_mix_sums_to_one_and_drift_is_told():
    clf = simulated(2000, 3)
    mix = data.class_mix(clf)
    assert_allclose(mix.groupby("source")["share"].sum(), 1)
    classes = data.classes(clf)
    assert not len(data.drifted(classes.assign(prior=classes["found"] / classes["found"].sum())))
    off = data.drifted(classes.assign(prior=[0.9, 0.05, 0.05]))
    assert len(off) == 3
    assert len(words.drift_in_words(classes.assign(prior=[0.9, 0.05, 0.05]))) == 3


def test_confusions_count_doubtful_rows_once():
    clf = simulated(500, 4)
    table = clf.pseudo_labels_
    doubtful = (table["status"] != Status.ACCEPTED) | (table["gap"] < data.NARROW)
    assert data.confusions(clf)["rows"].sum() == doubtful.sum()


def test_a_class_that_is_never_confused_is_confused_with_nothing():
    clf = simulated(200, 3)
    table = clf.pseudo_labels_
    clf.pseudo_labels_ = table[table["guess"] != clf.classes_[0]]
    lines = _class_lines(clf, data.classes(clf))
    assert lines[0]["confused_with"] is None
    assert lines[1]["confused_with"] is not None


def test_plan_shows_each_round_beside_a_threshold():
    clf, _, _ = digits()
    frame = data.plans(clf, (0.5, 0.9))
    assert list(dict.fromkeys(frame["panel"])) == [
        "committee",
        "plan",
        "accepted",
        "threshold 0.5",
        "threshold 0.9",
    ]
    assert set(frame["round"]) == {round.number for round in clf.history_}
    assert (frame.groupby(["round", "panel", "position"])["value"].sum() <= 1.01).all()


def test_infinite_confidence_is_drawn_beyond_the_rest():
    clf = simulated(60, 3)
    clf.pseudo_labels_.loc[clf.pseudo_labels_.index[0], "confidence"] = np.inf
    shown = data.rows(clf)["confidence"]
    assert np.isfinite(shown).all()
    assert shown.idxmax() == 0


# ---- names and words


def test_names_that_look_alike_are_told_apart():
    assert names.distinct(["a", "a\n", "a (2)", 1, "1", "x" * 99, "x" * 98]) == [
        *("a", "a (2)", "a (2) (2)", "1", "1 (2)"),
        *("x" * 39 + "…", "x" * 39 + "… (2)"),
    ]
    assert names.text("") == "(empty)"
    assert names.text("\ud83d") == "?"
    assert names.percent(0.99999) == "> 99.9%"


@pytest.mark.parametrize(
    ("verdict", "lead"),
    [
        (Verdict(0.80, 0.84, 4.0, 1.1, 143, 2.0), "It helped:"),
        (Verdict(0.84, 0.80, -4.0, 1.1, 143, 2.0), "It hurt:"),
        (Verdict(0.84, 0.84, 0.1, 1.1, 143, 2.0), "No evidence either way:"),
        (None, "Not known:"),
    ],
)
def test_headline_says_what_the_verdict_says(verdict, lead):
    clf = simulated()
    clf.verdict_ = verdict
    headline = words.headline(clf)
    assert headline.lead == lead
    if verdict:
        assert "95% interval" in headline.sentence
        assert "held-out labelled rows are predicted correctly" in headline.note


def test_a_promise_is_made_only_where_held_out_rows_say_something():
    clf = simulated()
    clf.verdict_ = None
    assert words.promise(clf) is None
    clf.verdict_ = Verdict(0.8, 0.9, gain=10, error=2, n_rows=100, seconds=1)
    assert "at most 16.4%" in words.promise(clf)
    clf.verdict_ = Verdict(0.9, 0.7, gain=-20, error=2, n_rows=100, seconds=1)  # the other one is returned
    assert "at most 16.4%" in words.promise(clf)
    clf.verdict_ = Verdict(0.1, 0.2, gain=10, error=2, n_rows=100, seconds=1)
    assert words.promise(clf) is None


# ---- charts


def charts_of(clf):
    """Names of the charts that any fit has; those of the paper need plans that are kept."""
    return [name for name in re.findall(r"\w+", repr(clf.plot))[1:] if name not in ("one_round", "trust")]


def test_every_chart_is_valid_and_becomes_a_picture():
    clf, X, y = digits()
    given = {"accuracy": [y], "columns": [X]}
    drawn = {name: getattr(clf.plot, name) for name in charts_of(clf)}
    assert {"rounds", "class_mix", "confidence", "plan", "confusions", "members", "time"} <= set(drawn)
    for name, draw in drawn.items():
        chart = draw(*given.get(name, []))
        assert chart.to_dict(validate=True)
    import vl_convert

    assert "<svg" in vl_convert.vegalite_to_svg(clf.plot.rounds().to_dict())


def test_charts_of_nothing_are_empty_and_valid():
    clf = simulated(60, 3)
    clf.history_, clf.verdict_, clf.estimator_ = [], None, SimpleNamespace()
    clf.pseudo_labels_ = clf.pseudo_labels_.iloc[:0]
    clf.labeled_iter_ = np.zeros(60, dtype=int)
    clf.transduction_ = np.resize(clf.classes_, 60).astype(object)
    given = {"accuracy": [[]], "columns": [np.zeros((60, 3))]}
    for name in charts_of(clf):
        assert getattr(clf.plot, name)(*given.get(name, [])).to_dict(validate=True)
    assert "Nothing to fill in" in page(clf)


def test_charts_take_frames_of_several_runs():
    frame = pd.DataFrame(
        {"round": [1, 2, 1, 2], "accuracy": 0.9, "low": 0.8, "high": 0.95, "series": list("aabb")}
    )
    assert "series" in json.dumps(charts.accuracy(frame).to_dict())


def test_only_a_fitted_classifier_is_drawn(tmp_path):
    with pytest.raises(NotFittedError):
        PseudoLabelClassifier().plot  # noqa: B018
    with pytest.raises(NotFittedError):
        report(PseudoLabelClassifier(), tmp_path / "report.html")


def test_a_model_from_a_file_is_reported_as_before(tmp_path, blobs):
    X, y, truth = blobs
    clf = csa(committee=Repeated(GaussianNB(), 3, over="bootstrap"), random_state=0, guard=False).fit(X, y)
    clf.save(tmp_path / "model")
    saved, fitted = (page(each, X=X, y_true=truth) for each in (load(tmp_path / "model"), clf))
    # Older Altairs count the charts of a process.
    assert re.sub(r'"view_\d+"', "", saved) == re.sub(r'"view_\d+"', "", fitted)


def test_importing_the_package_imports_nothing_that_draws():
    import subprocess
    import sys

    late = ("altair", "jinja2", "vl_convert", "starlette", "uvicorn")
    code = f"import sys, surelabel; print([m for m in {late} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # joblib and scikit-learn do not need jinja2; pandas asks for it when a table is styled.
    assert done.stdout.strip() == "[]"


# ---- the page


def without_scripts(html):
    return re.sub(r"<script>.*?</script>", "", html, flags=re.S)


def test_nothing_in_the_page_is_fetched():
    clf, X, y = digits()
    html = unescape(page(clf, X=X, y_true=y))
    assert "http" not in without_scripts(html).replace("http-equiv", "")
    assert "default-src 'none'" in html
    assert "unsafe-eval" not in html
    assert "script-src 'sha256-" in html
    assert len(html.encode()) < 3e6


def test_markup_is_shown_and_not_obeyed():
    clf = simulated(80, classes=MARKUP)
    clf.pseudo_labels_.index = [f"<b>{i}</b>" for i in clf.pseudo_labels_.index]
    X = pd.DataFrame(np.resize(np.array(MARKUP, dtype=object), (80, 3)), columns=MARKUP[:3])
    details = {
        "input": MARKUP[1],
        "command": MARKUP[0],
        "settings": {MARKUP[0]: MARKUP[1]},
        "versions": {MARKUP[1]: 1},
    }
    html = without_scripts(page(clf, X=X, details=details))
    assert "<b>" not in re.sub(r"<b>[\w .,%]*</b>", "", html)
    assert "<img" not in html
    assert "<svg" not in html
    assert html.count("<script") == 1  # the data
    assert "&lt;script&gt;window.hacked=1&lt;/script&gt;" in html
    assert "49" not in re.findall(r"7 \* 7.{20}", html)[0]
    assert "<" not in as_json(["</script>", "<!--"])


def test_what_the_command_line_knows_is_told():
    clf = simulated()
    column = {
        "name": "size",
        "kind": "identifier",
        "why": "near unique",
        "n_missing": 3,
        "n_distinct": 7,
        "examples": ["a"],
    }
    html = page(
        clf,
        details={
            "columns": [column],
            "seed": 7,
            "command": "surelabel label a.csv\n  --seed 7",
            "input": "a.csv",
        },
    )
    for piece in [
        "identifier",
        "near unique",
        "surelabel label a.csv\n  --seed 7",
        "Seed 7:",
        "<title>surelabel · a.csv",
    ]:
        assert piece in html


@pytest.mark.parametrize(
    ("filled", "begins"), [(0, "Label more rows by hand"), (5, "Label the 355 rows"), (360, "Check some")]
)
@pytest.mark.parametrize(("run", "code"), [(None, "review(clf, X)"), ("my/run", "surelabel review my/run")])
def test_what_to_do_next_begins_with_what_a_person_can_do(filled, begins, run, code):
    clf = simulated(400)
    names = np.where(np.arange(360) < filled, clf.pseudo_labels_["guess"].astype(object), None)
    clf.pseudo_labels_ = clf.pseudo_labels_.assign(filled=names)
    more = ["Label roughly 40 rows."]
    advice = words.advice(clf, data.classes(clf), data.confusions(clf), more, run)
    assert advice[0][0].startswith(begins)
    assert advice[0][1] == code
    assert advice[1] == ("Label roughly 40 rows", "")
    assert any("hardest to tell apart" in said and "next" in how for said, how in advice)


@pytest.mark.parametrize("form", ["array", "polars", "sparse", "unlabelled only"])
def test_any_table_is_shown(form):
    clf = simulated(60, 3)
    X = np.arange(180.0).reshape(60, 3)
    if form == "polars":
        X = pytest.importorskip("polars").DataFrame(X, schema=["a", "b", "c"])
    elif form == "sparse":
        from scipy.sparse import csr_matrix

        X = csr_matrix(X)
    elif form == "unlabelled only":
        X = X[6:]
    value_names, values = about.values(clf, X, np.array([0]))
    assert values == ([] if form == "sparse" else [["18", "19", "20"]])
    assert len(value_names) == (0 if form == "sparse" else 3)
    assert "3 columns" in page(clf, X=X)


def test_a_run_without_unlabelled_rows_has_a_page(blobs, committee):
    X, _, truth = blobs
    with pytest.warns(UserWarning, match="no unlabelled row"):
        clf = csa(committee=committee).fit(X, truth)
    assert "Nothing to fill in" in page(clf, X=X)


class Stubborn(GaussianNB):
    """Raises in training."""

    def fit(self, X, y, sample_weight=None):
        raise RuntimeError("I do not <learn>")


def test_a_member_that_failed_is_on_the_page_with_its_reason(tmp_path, blobs):
    X, y, _ = blobs
    committee = Unlike({"bayes": GaussianNB(), "mine": Stubborn()})
    with pytest.warns(UserWarning, match="goes on without"):
        clf = csa(committee=committee, guard=False, random_state=0).fit(X, y)
    page = report(clf, tmp_path / "report.html").read_text()
    assert "<li>mine: RuntimeError: I do not &lt;learn&gt;</li>" in page


def test_other_confidences_and_one_model_are_reported(blobs):
    X, y, _ = blobs
    clf = PseudoLabelClassifier(GaussianNB(), Everything(), Threshold(0.9), guard=False).fit(X, y)
    assert "Everything" in json.dumps(clf.plot.confidence().to_dict())
    assert data.measure(PseudoLabelClassifier(confidence=TTest())).startswith("Welch")


# ---- in a browser

needs_browser = pytest.mark.skipif(
    not browser_path(), reason="no chromium, google-chrome or chrome on the PATH"
)


@pytest.fixture(scope="module")
def browser():
    with started() as it:
        yield it


@needs_browser
def test_the_browser_tells_of_all_that_a_page_does(tmp_path, browser):
    path = tmp_path / "bad.html"
    path.write_text(
        "<img src=http://127.0.0.1:9/pixel.png><iframe src=http://127.0.0.1:9/frame></iframe>"
        "<script>console.warn('said'); alert('shown'); throw new Error('thrown');</script>"
    )
    tab = Tab(browser).open(path)
    assert tab.requests == ["http://127.0.0.1:9/pixel.png", "http://127.0.0.1:9/frame"]
    for word in ("said", "shown", "thrown", "ERR_"):
        assert word in " ".join(tab.complaints)
    tab.close()


def breast():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    clf = csa(committee=Repeated(trees(10), n_members=3), random_state=0, guard=False)
    return clf.fit(X, hide_labels(y, 0.9, random_state=0)), {"X": X, "y_true": y}


def nothing_labelled():
    clf = simulated(300, 3, found=0.0)
    return clf, {}


CASES = {
    "digits": (lambda: (digits()[0], {"X": digits()[1], "y_true": digits()[2]}), 3e6),
    "two classes": (breast, 3e6),
    "100 classes": (lambda: (simulated(5000, 100), {}), 5e6),
    "100,000 rows": (
        lambda: (simulated(100_000, 8), {"X": pd.DataFrame(np.random.default_rng(0).random((100_000, 12)))}),
        8e6,
    ),
    "nothing labelled": (nothing_labelled, 3e6),
    "markup": (
        lambda: (
            simulated(300, classes=MARKUP),
            {"X": pd.DataFrame(np.resize(np.array(MARKUP, dtype=object), (300, 4)), columns=MARKUP[:4])},
        ),
        3e6,
    ),
}


@needs_browser
@pytest.mark.parametrize("case", CASES)
def test_report_opens_draws_everything_and_asks_for_nothing(case, tmp_path, browser):
    make, most_bytes = CASES[case]
    clf, more = make()
    path = report(clf, tmp_path / "report.html", **more)
    assert path.stat().st_size < most_bytes
    tab = Tab(browser, script="window.alert = () => { window.hacked = 'alert'; };").open_report(path)
    assert tab.cpu() < 5  # 1 to 2; the clock shows what else the machine does
    assert tab.complaints == []
    assert tab.requests == []
    assert tab.run("window.hacked") is None
    asked = tab.run("[...document.querySelectorAll('[data-chart]')].map((box) => box.dataset.chart)")
    assert {"rounds", "class_mix", "confidence", "confusions", "times"} <= set(asked)
    drawn = """[...document.querySelectorAll('[data-chart]')].filter((box) =>
        box.querySelectorAll('svg [class*=role-mark] path, svg [class*=role-mark] line').length > 0
    ).map((box) => box.dataset.chart)"""
    assert tab.run(drawn) == asked
    assert tab.run("document.documentElement.scrollWidth <= innerWidth")
    n = len(clf.pseudo_labels_)
    assert int(tab.run("document.getElementById('rows').dataset.count")) == min(n, data.MOST_ROWS)
    tab.close()


@needs_browser
def test_brush_search_and_sort_change_the_table(tmp_path, browser):
    clf, X, y = digits()
    tab = Tab(browser, height=1400).open_report(report(clf, tmp_path / "report.html", X=X, y_true=y))
    count = "Number(document.getElementById('rows').dataset.count)"
    everything = tab.run(count)

    tab.run(
        "document.querySelector('[data-chart=confidence]')"
        ".scrollIntoView({block: 'center', behavior: 'instant'})"
    )
    x, y, width, height = tab.run(
        "(() => { const r = document.querySelector('[data-chart=confidence] svg .mark-rect.role-mark path')"
        ".closest('svg').getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })()"
    )
    tab.drag((x + 0.3 * width, y + 0.15 * height), (x + 0.8 * width, y + 0.8 * height))
    brushed = tab.run(f"new Promise((done) => setTimeout(() => done({count}), 200))")
    assert 0 < brushed < everything
    leads = tab.run(
        "[...document.querySelectorAll('#rows tr.line')].map((tr) => Number(tr.cells[3].textContent))"
    )
    assert min(leads) > 0.1
    assert str(brushed) in tab.run("document.getElementById('picked').textContent").replace(",", "")
    tab.run("document.getElementById('unbrush').click()")
    assert tab.run(f"new Promise((done) => setTimeout(() => done({count}), 600))") == everything

    search = (
        "(() => { const box = document.getElementById('search'); box.value = %s;"
        " box.dispatchEvent(new Event('input')); })()"
    )
    tab.run(search % "'committee not'")
    assert tab.run(count) == (clf.pseudo_labels_["status"] == Status.UNSURE).sum()
    tab.run(search % "'no such thing'")
    assert "No row is like that" in tab.run("document.querySelector('#rows tbody').textContent")
    tab.run(search % "''")
    tab.run("document.querySelector('#rows th[data-name=probability] button').click()")
    shown = tab.run(
        "[...document.querySelectorAll('#rows tr.line')].map((tr) => Number(tr.cells[3].textContent))"
    )
    assert shown == sorted(shown)
    tab.run("document.querySelector('#rows tr.line').click()")
    assert "pixel_0_0" in tab.run("document.querySelector('#rows tr.values').textContent")
    tab.run("document.querySelector('#chips [data-filled=\"not sure enough\"]').click()")
    assert tab.run(count) == clf.pseudo_labels_["filled"].isna().sum()
    assert tab.complaints == []
    tab.close()


@needs_browser
@pytest.mark.parametrize("looks", [{"dark": True}, {"width": 390, "height": 844}])
def test_dark_and_on_a_phone_everything_fits(looks, tmp_path, browser):
    clf = simulated(500, 12)
    tab = Tab(browser, **looks).open_report(report(clf, tmp_path / "report.html"))
    assert tab.complaints == []
    assert tab.run("document.documentElement.scrollWidth <= innerWidth")
    dark = tab.run("getComputedStyle(document.body).backgroundColor") == "rgb(20, 22, 26)"
    assert dark == looks.get("dark", False)
    tab.close()


def test_labelled_rows_that_were_chosen_are_told():
    given, drawn = np.array([0, 0, 0, 1]), np.array([True, False, False, False])
    (words,) = _not_sampled(SimpleNamespace(labeled_iter_=given, sampled_=drawn))
    assert words.startswith("2 of 3 labelled rows are not known to be drawn at random")
    cells = np.column_stack([given, given + 1])
    (words,) = _not_sampled(SimpleNamespace(labeled_iter_=cells, sampled_=drawn))
    assert words.startswith("2 of 3 labelled rows")
    assert not _not_sampled(SimpleNamespace(labeled_iter_=given, sampled_=given == 0))
    assert not _not_sampled(SimpleNamespace(labeled_iter_=given, sampled_=None))


@needs_browser
@pytest.mark.parametrize("width", [1000, 1280])
def test_on_a_screen_nothing_is_scrolled_sideways(width, tmp_path, browser):
    clf, X, y = digits()
    tab = Tab(browser, width=width).open_report(report(clf, tmp_path / "report.html", X=X, y_true=y))
    wider = """[...document.querySelectorAll('[data-chart], .scroll')]
        .filter((box) => box.scrollWidth > box.clientWidth)
        .map((box) => box.dataset.chart || box.textContent)"""
    assert tab.run(wider) == []
    tab.close()
