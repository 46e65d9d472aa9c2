"""The page in a browser: every key, every pile, odd tables, and nothing but its own server is asked."""

import numpy as np
import pandas as pd
import pytest
from browser import Tab, browser_path, started
from reviewing import served, small_desk

from surelabel.advice.stopping import Outlook
from surelabel.review.answers import AnswerFile
from surelabel.review.desk import Desk
from surelabel.review.piles import Pile, Piles
from surelabel.review.subject import Picture, Subject

pytestmark = pytest.mark.skipif(not browser_path(), reason="no chromium, google-chrome or chrome on the PATH")
MARKUP = ["<img src=x onerror=alert(1)>", "<script>alert(2)</script>", "{{ 7 * 7 }}", "</script><b>bold</b>"]
HEBREW = "החבילה שלי לא הגיעה, ואני רוצה לקבל את הכסף בחזרה. " * 4


@pytest.fixture(scope="module")
def browser():
    with started() as it:
        yield it


class Page(Tab):
    """A page of a desk that is being served."""

    def __init__(self, browser, serving, pile="ask", **looks):
        super().__init__(browser, script="window.alert = () => { window.hacked = 1; };", **looks)
        self.serving = serving
        self.page.goto(f"{serving.url}#pile={pile}")
        self.page.wait_for_selector("html[data-ready=yes]", state="attached")

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
            self.page.wait_for_selector("body:not([aria-busy])")
        return self

    def text(self, id):
        return self.page.text_content(f"#{id}")

    def heading(self):
        return int(self.text("heading").removeprefix("Row ").replace(",", "")) - 1

    def close(self):
        assert self.complaints == []
        assert [url for url in self.requests if not url.startswith(self.serving.url)] == []
        assert self.run("window.hacked") is None
        assert self.run("document.documentElement.scrollWidth <= innerWidth")
        super().close()


@pytest.fixture
def desk(fit, tmp_path):
    desk = small_desk(fit, tmp_path)
    yield desk
    desk.close()


@pytest.fixture
def serving(desk):
    with served(desk) as serving:
        yield serving


def table(n=400, classes=("cat", "dog", "owl"), cells=None, picture=None, asked=(), tmp_path=None):
    """A desk on rows, or cells, that nobody fitted."""
    rng = np.random.default_rng(0)
    n_rows = n // max(len(asked), 1)
    X = pd.DataFrame({"x": rng.normal(size=n_rows), "y": rng.normal(size=n_rows)})
    frame = X.assign(**(cells or {}))
    k = rng.integers(0, len(classes), n)
    names = np.array(classes, dtype=object)
    status = np.where(np.arange(n) < 20, "given", np.where(np.arange(n) % 2, "filled in", "not sure enough"))
    p = rng.uniform(0.4, 1.0, n)
    subject = Subject(
        frame=frame,
        X=X,
        kinds={name: "number" if name in X else "text" for name in frame},
        classes=tuple(classes),
        label=np.where(status == "not sure enough", None, names[k]),
        guess=names[k],
        runner_up=names[(k + 1) % len(classes)],
        probability=p,
        second=1 - p,
        status=status.astype(object),
        title="rows.csv",
        picture=picture,
        asked=asked,
    )
    every, filled = np.arange(n), np.flatnonzero(status == "filled in")
    none = np.zeros(n, dtype=bool)
    piles = Piles(
        Pile(every[20:], none[20:]),
        Pile(every[:5], none[:5]),
        Pile(filled, np.ones(len(filled), dtype=bool)),
        Pile(every, none),
    )
    return Desk(subject, piles, AnswerFile(tmp_path / "answers.sqlite"))


def test_every_key_does_what_the_page_says(browser, serving, desk):
    page = Page(browser, serving)
    rows = desk.piles.ask.rows.tolist()
    assert page.heading() == rows[0]
    page.press("Enter")
    assert desk.ledger.of(rows[0]).label == desk.subject.guess[rows[0]]
    page.press("2")
    assert desk.ledger.of(rows[1]).label == "2"  # a class that is called as a key has that key
    page.press(" ")
    assert page.heading() == rows[3]
    page.press("-")
    assert desk.ledger.of(rows[3]).label is None
    page.press("u")
    assert desk.ledger.of(rows[3]) is None
    assert page.heading() == rows[3]
    page.press("Control+z")
    assert desk.ledger.of(rows[1]) is None
    assert page.heading() == rows[1]
    page.press("n")
    page.page.keyboard.type("lynx")
    page.press("Enter")
    page.page.wait_for_selector("[data-class=lynx]")
    assert desk.ledger.of(rows[1]).label == "lynx"
    page.press("?")
    assert page.page.is_visible("#help")
    page.press("Escape", "]")
    assert page.run("document.querySelector('[aria-current=true]').dataset.pile") == "doubts"
    page.press("[")
    assert page.run("document.querySelector('[aria-current=true]').dataset.pile") == "ask"
    # Each answer was acknowledged, and the last are in sight and can be changed.
    assert page.page.text_content("#recent li:first-child").startswith("lynx row")
    assert "saved" in page.text("recent")
    page.page.click("#recent li:first-child button")
    page.page.wait_for_selector("#standing:not([hidden])")
    assert "Ann: lynx" in page.text("standing")
    page.press("1")
    assert desk.ledger.of(rows[1]).label == "1"
    page.close()


def test_buttons_do_the_same_and_have_names(browser, serving, desk):
    page = Page(browser, serving)
    rows = desk.piles.ask.rows.tolist()
    page.page.click("#accept")
    page.page.wait_for_selector("body:not([aria-busy]) #recent li")
    for id in ("unknown", "skip", "undo"):
        page.page.click(f"#{id}")
        page.page.wait_for_selector("body:not([aria-busy])")
    assert desk.ledger.of(rows[0]) is not None
    assert desk.ledger.of(rows[1]) is None
    nameless = page.run(
        "[...document.querySelectorAll('button, input, select, canvas')].filter((node) => "
        "!(node.textContent.trim() || node.closest('label, [aria-label], [aria-labelledby]') === node "
        "|| node.closest('label'))).map((node) => node.id || node.outerHTML)"
    )
    assert nameless == []
    assert page.run("document.activeElement.id") == "card"
    assert "Taken back: row" in page.text("live")
    page.close()


def test_doubts_show_the_given_label_and_what_it_may_be(browser, serving, desk):
    page = Page(browser, serving, "doubts")
    row = int(desk.piles.doubts.rows[0])
    assert page.text("status") == f"given: {desk.subject.label[row]}"
    assert f"instead of {desk.subject.label[row]}" in page.text("accept")
    page.press("Enter")
    assert desk.ledger.of(row).label == desk.piles.doubts.suggested[0]
    page.close()


def test_an_audit_hides_the_label_until_the_answer_and_bounds_the_rest(browser, serving, desk):
    page = Page(browser, serving, "audit")
    row = page.heading()
    filled = desk.subject.label[row]
    assert not page.page.is_visible("#accept")
    assert not page.page.is_visible("#nearest-box")
    assert page.run("document.querySelectorAll('#classes .likely, #classes .held').length") == 0
    page.press("Enter")
    assert page.heading() == row
    page.press(filled)
    assert "as filled in" in page.text("recent")
    assert "With 95% confidence at least" in page.text("about")
    assert "1 of 1 checked" in page.text("about")
    page.close()


def test_many_rows_are_looked_over_and_accepted_at_once(browser, serving, desk):
    page = Page(browser, serving, "browse")
    page.page.select_option("#of-status", "not sure enough")
    page.page.wait_for_selector("body:not([aria-busy])")
    page.run("document.activeElement.blur()")
    page.press("a", "j", "x")
    lines = page.run("[...document.querySelectorAll('.line')].map((line) => Number(line.dataset.row))")
    assert page.text("n-chosen") == f"{len(lines) - 1} chosen"
    page.press("Enter")
    assert desk.ledger.of(lines[1]) is None
    assert all(desk.ledger.of(row).label == desk.subject.guess[row] for row in lines if row != lines[1])
    page.press("u")
    assert len(desk.ledger) == len(lines) - 2
    page.page.select_option("#of-status", "")
    page.page.fill("#search", "row-00042")
    page.page.wait_for_selector("[data-row='42']:only-child")
    page.page.click("[data-row='42'] button")
    page.page.wait_for_selector("#one:not([hidden])")
    page.press("1")
    assert desk.ledger.of(42).label == "1"
    assert page.page.is_visible("#many")
    page.close()


def test_fifty_classes_have_keys_and_a_filter(browser, tmp_path):
    classes = [f"species {k:02d}" for k in range(50)]
    desk = table(classes=classes, tmp_path=tmp_path)
    with served(desk) as serving:
        page = Page(browser, serving)
        first, second = desk.piles.ask.rows[:2].tolist()
        page.press("b")
        assert desk.ledger.of(first).label == "species 10"
        page.press("/")
        page.page.keyboard.type("49")
        page.press("Enter")
        assert desk.ledger.of(second).label == "species 49"
        page.close()
    desk.close()


def test_long_text_right_to_left_text_and_markup_are_shown_as_they_are(browser, tmp_path):
    cells = {
        "long": ["word " * 2000] * 400,
        "hebrew": [HEBREW] * 400,
        MARKUP[0]: MARKUP * 100,
        "more": [text[::-1] + text for text in MARKUP] * 100,
    }
    desk = table(classes=[*MARKUP, "שלום"], cells=cells, tmp_path=tmp_path)
    with served(desk) as serving:
        page = Page(browser, serving)
        shown = page.text("cells")
        assert "word word" in shown
        assert HEBREW.strip() in shown
        assert all(text in page.text("classes") for text in MARKUP)
        assert page.run("document.querySelectorAll('#card img, #card script, #card b b').length") == 0
        direction = (
            "getComputedStyle([...document.querySelectorAll('.value')]"
            ".find((box) => box.textContent.includes('שלי'))).direction"
        )
        assert page.run(direction) == "rtl"
        page.press("1")
        assert desk.ledger.of(20).label == MARKUP[0]
        page.press("[")
        assert page.page.is_visible("#rows .line")
        page.close()
    desk.close()


def test_a_hundred_thousand_rows_are_no_burden(browser, tmp_path):
    desk = table(100_000, tmp_path=tmp_path, cells={"note": [f"note {k}" for k in range(100_000)]})
    with served(desk) as serving:
        page = Page(browser, serving, "browse")
        assert page.page.locator(".line").count() == 50
        assert "page 1 of 2,000" in page.text("page-number")
        page.page.fill("#search", "note 99999")
        page.page.wait_for_selector("[data-row='99999']:only-child")
        page.press("Escape", "]")
        page.press("1", "2", "3")
        assert len(desk.ledger) == 3
        assert page.cpu() < 5
        page.close()
    desk.close()


class Taking:
    """What takes answers in, here in no time."""

    def __init__(self, desk):
        self.desk, self.words = desk, ""

    def start(self):
        reached = Outlook(goal=0.9, promised=0.95, reached=True, idle=False, answers_left=0)
        self.desk.change(self.desk.subject, self.desk.piles, since=self.desk.ledger.last, outlook=reached)
        self.words = "The answers are taken in: with 1 more answers 95.0% can be promised."

    def state(self):
        return {"running": False, "done": bool(self.words), "words": self.words}

    def join(self):
        pass


def test_the_goal_is_in_sight_and_what_the_answers_changed_stays_until_it_is_read(browser, fit, tmp_path):
    ahead = Outlook(goal=0.9, promised=0.62, reached=False, idle=False, answers_left=140)
    desk = small_desk(fit, tmp_path, outlook=ahead)
    with served(desk, update=Taking(desk)) as serving:
        page = Page(browser, serving)
        assert page.text("goal").endswith("the goal is 90.0%; roughly 140 more answers at the speed so far.")
        page.press("1")
        page.page.click("#update")
        page.page.wait_for_selector("#news:not([hidden])")
        assert "with 1 more answers 95.0% can be promised" in page.text("news")
        assert page.text("goal").startswith("Stop: the goal is reached")
        page.press("1")  # the next answer does not take it away
        assert page.page.is_visible("#news")
        page.page.click("#news button")
        assert not page.page.is_visible("#news")
        page.close()
    desk.close()


def test_every_key_of_the_list_does_what_the_page_says(browser, serving, desk):
    page = Page(browser, serving, "browse")
    lines = page.run("[...document.querySelectorAll('.line')].map((line) => Number(line.dataset.row))")
    page.press("j", "j", "k", "x")
    assert page.text("n-chosen") == "1 chosen"
    page.press("2")
    assert desk.ledger.of(lines[1]).label == "2"
    page.press("u")
    assert desk.ledger.of(lines[1]) is None
    page.press("j", "o")
    assert page.page.is_visible("#one")
    page.press("Escape")
    assert page.page.is_visible("#many")
    page.close()


def test_two_tabs_work_side_by_side_and_a_page_waits_for_its_server(browser, desk):
    with served(desk, token="same") as serving:
        one, two = Page(browser, serving), Page(browser, serving)
        assert one.heading() != two.heading()
        one.press("1")
        two.press("2")
        assert len(desk.ledger) == 2
        two.close()
        port = serving.port
        row = one.heading()
        serving.stop()
        one.page.keyboard.press("1")
        one.page.wait_for_selector("#alarm:not([hidden])")
        assert "NOT SAVED yet" in one.text("alarm")
        assert desk.ledger.of(row) is None
        with served(desk, token="same", port=port):
            one.page.wait_for_selector("#alarm[hidden]", state="attached")
            one.page.wait_for_selector("body:not([aria-busy])")
            assert desk.ledger.of(row).label == "1"
        one.complaints.clear()  # that the server was away
        one.close()


def test_cells_of_several_labels_are_asked_one_by_one(browser, tmp_path):
    desk = table(classes=("yes", "no"), asked=("calm", "sad"), tmp_path=tmp_path)
    with served(desk) as serving:
        page = Page(browser, serving)
        assert page.text("heading") == "Row 11, calm?"
        assert not page.page.is_visible("#new")
        page.press("n")
        assert not page.page.is_visible("#asking")
        page.press("1")
        assert desk.ledger.of(20).label == "yes"
        assert page.text("heading") == "Row 11, sad?"
        page.press("2")
        assert desk.ledger.of(21).label == "no"
        assert page.page.text_content("#recent li:first-child").startswith("no row 11, sad")
        page.press("[")
        assert page.page.text_content("#rows .line:first-child .number").strip().endswith(("calm", "sad"))
        page.close()
    desk.close()


@pytest.mark.parametrize("looks", [{"dark": True}, {"width": 390, "height": 844}])
@pytest.mark.parametrize("pile", ["ask", "audit", "browse"])
def test_dark_and_on_a_phone_everything_fits_and_can_be_read(browser, tmp_path, looks, pile):
    pixels = {f"p{k}": np.arange(400) % (k + 2) for k in range(16)}
    desk = table(cells=pixels, picture=Picture(4, 4, tuple(pixels)), tmp_path=tmp_path)
    with served(desk) as serving:
        page = Page(browser, serving, pile, **looks)
        dark = page.run("getComputedStyle(document.body).backgroundColor") == "rgb(20, 22, 26)"
        assert dark == looks.get("dark", False)
        assert page.page.is_visible("canvas")
        assert page.run(CONTRAST) >= 4.5
        page.close()
    desk.close()


# The least contrast of any text with what is behind it, as WCAG measures it.
CONTRAST = """(() => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const found = parts(getComputedStyle(node).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  let least = 21;
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!own || !node.checkVisibility() || node.closest(".unseen, .jump, :disabled")) continue;
    const [a, b] = [light(parts(getComputedStyle(node).color)), light(behind(node))];
    least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  }
  return least;
})()"""
