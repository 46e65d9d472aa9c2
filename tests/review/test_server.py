"""The server: who is let in, what it says to whom; and the simulated person."""

import http.client
import json
from concurrent.futures import ThreadPoolExecutor
from urllib.error import HTTPError

import pytest
from reviewing import served, small_desk

from surelabel import review
from surelabel.files import InputError, OutputError
from surelabel.review.person import Person, answer_pile
from surelabel.review.server import Serving


@pytest.fixture
def page(fit, tmp_path):
    desk = small_desk(fit, tmp_path)
    with served(desk) as serving:
        serving.desk = desk
        yield serving
    desk.close()


def asked(page, path="", method="GET", body=None, **headers):
    """Status, headers and text of a reply; without a path, of the page itself."""
    token = page.url.split("/")[3]
    link = http.client.HTTPConnection("127.0.0.1", page.port, timeout=30)
    link.request(method, path or f"/{token}/", body, headers)
    reply = link.getresponse()
    text = reply.read().decode()
    link.close()
    return reply.status, dict(reply.getheaders()), text


def test_it_listens_on_this_machine_alone_and_lets_nothing_else_in(page):
    assert page._socket.getsockname()[0] == "127.0.0.1"
    status, headers, text = asked(page)
    assert status == 200
    assert "<title>surelabel review: birds.csv</title>" in text
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy
    assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1:1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize("path", ["", "api/answer"])
def test_another_host_or_origin_is_refused(page, headers, path):
    body = json.dumps({"key": "k", "rows": [0], "label": "1", "pile": "ask"})
    token = page.url.split("/")[3]
    method = "POST" if path else "GET"
    sent = {"Content-Type": "application/json", **headers}
    status, _, text = asked(page, f"/{token}/{path}", method, body if path else None, **sent)
    assert status == 403
    assert "Refused" in text
    assert page.desk.file.after(0) == []


@pytest.mark.parametrize("path", ["/", "/wrong/", "/api/state", "/wrong/api/answer", "/review.js", "//"])
def test_without_the_token_everything_is_refused(page, path):
    assert asked(page, path)[0] == 403
    sent = {"Content-Type": "application/json"}
    assert asked(page, path, "POST", "{}", **sent)[0] in (403, 405)


def test_an_answer_must_be_json_and_whole(page):
    token = page.url.split("/")[3]
    path, sent = f"/{token}/api/answer", {"Content-Type": "application/json"}
    assert asked(page, path, "POST", "{}", **{"Content-Type": "text/plain"})[0] == 403
    assert asked(page, path, "POST", "{", **sent)[0] == 400
    assert asked(page, path, "POST", json.dumps({"rows": ["0"], "key": "k"}), **sent)[0] == 400
    assert asked(page, path, "POST", json.dumps({"rows": [0], "key": "k", "pile": "heap"}), **sent)[0] == 400
    assert asked(page, path, "POST", " " * 1_100_000, **sent)[0] == 413
    assert "no row 9,999" in asked(page, f"/{token}/api/row?row=9998")[2]
    assert "must be a whole number" in asked(page, f"/{token}/api/row?row=x")[2]


def test_what_cannot_be_written_is_not_called_saved(page, monkeypatch):
    def full(answers):
        raise OutputError("the disk is full")

    monkeypatch.setattr(page.desk.file, "add", full)
    with pytest.raises(HTTPError) as error:
        Person(page.url).tell("answer", rows=[0], label="1", pile="ask")
    assert error.value.code == 507
    assert "the disk is full" in error.value.read().decode()


def test_two_simulated_people_share_a_pile(page, fit):
    truth = [str(label) for label in fit[2]]
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda name: answer_pile(page.url, truth, "ask", 30, name), ["Ann", "Bo"]))
    assert done == [30, 30]
    page.desk.refresh()
    assert len(page.desk.ledger) == 60
    assert all(each.label == truth[row] for row, each in page.desk.ledger.items())
    assert {each.answers[0].who for _, each in page.desk.ledger.items()} == {"Ann", "Bo"}


def test_a_person_goes_through_every_pile_to_its_end(page, fit):
    truth = [str(label) for label in fit[2]]
    assert answer_pile(page.url, truth, "doubts", 1000) == len(page.desk.piles.doubts)
    assert answer_pile(page.url, truth, "audit", 1000) == len(page.desk.piles.audit)
    audit = Person(page.url).ask("state")["audit"]
    assert audit["checked"] == audit["filled"]
    assert audit["bound"] == audit["right"] / audit["filled"] > 0.8


def test_a_page_from_a_notebook_gives_its_answers_as_a_frame(fit):
    clf, X, _ = fit
    with review(clf, X, name="Ann") as page:
        person = Person(page.url, "")
        person.tell("answer", rows=[100], label="2", pile="ask")
        person.tell("answer", rows=[101], label="lynx", pile="ask")
        person.tell("answer", rows=[102], label=None, pile="ask")
        before = page.answers()
        assert before["label"].tolist()[:2] == [2, "lynx"]
        assert before["label"].isna().tolist() == [False, False, True]
        assert before["who"].tolist() == ["Ann"] * 3
    assert page.answers().equals(before)


def test_answers_that_are_kept_are_there_again(fit, tmp_path):
    clf, X, _ = fit
    for label in ("1", "2"):
        with review(clf, X, answers=tmp_path / "kept.sqlite") as page:
            Person(page.url).tell("answer", rows=[int(label)], label=label, pile="browse")
    assert page.answers()["row"].tolist() == [1, 2]


class Updating:
    """Takes answers in, at once."""

    def __init__(self):
        self.n = 0

    def start(self):
        self.n += 1

    def state(self):
        return {"running": False, "done": self.n > 0, "words": f"{self.n} times"}


def test_the_page_has_a_button_for_the_update_where_there_is_one(page, fit, tmp_path):
    assert 'id="update"' not in asked(page)[2]
    assert Person(page.url).ask("update") == {"possible": False}
    with pytest.raises(HTTPError, match="400"):
        Person(page.url).tell("update")
    with served(page.desk, update=Updating()) as other:
        assert 'id="update"' in asked(other)[2]
        assert not Person(other.url).ask("update")["done"]
        assert Person(other.url).tell("update")["words"] == "1 times"


def test_a_port_that_is_taken_is_refused_in_words(page):
    with pytest.raises(InputError, match=f"Port {page.port} cannot be used"):
        Serving(page.desk, page.port)
