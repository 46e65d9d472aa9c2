"""Kill the review page's server at random moments while answers stream in, and look for every answer.

Run with `make bench-kill-review` (200 kills), or with `ARGS="--kills 30"`. A server is a process with the
page of a small table; two clients send answers, undo some, and send again with the same key what was not
acknowledged, as the page does. It is killed (SIGKILL) at a random moment and started again on the same
file. At the end every answer that was acknowledged must be in the file, with what was sent, and none twice.
Then two clients send 20 answers a second together, for ten seconds, and the time to each reply is measured.
Prints a table and writes results/kill_review.json; ends with exit code 1 on a finding.
"""

import argparse
import json
import os
import random
import secrets
import signal
import sqlite3
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path

import numpy as np
import pandas as pd

from surelabel.review.answers import AnswerFile
from surelabel.review.desk import Desk
from surelabel.review.person import Person
from surelabel.review.piles import Pile, Piles
from surelabel.review.server import Serving
from surelabel.review.subject import Subject

RESULTS = Path("results")
N_ROWS = 2_000
CLASSES = ("cat", "dog", "owl")
TOKEN = "kill"


def desk_of(path):
    """The page of a table that needs no fit."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(N_ROWS, 4)), columns=list("abcd"))
    status = np.array(["given"] * 100 + ["filled in"] * (N_ROWS - 100), dtype=object)
    label = rng.choice(np.array(CLASSES, dtype=object), N_ROWS)
    rows = np.arange(100, N_ROWS)
    chosen, drawn = np.zeros(len(rows), dtype=bool), np.ones(len(rows), dtype=bool)
    subject = Subject(
        frame=X,
        X=X,
        kinds=dict.fromkeys("abcd", "number"),
        classes=CLASSES,
        label=label,
        guess=label,
        runner_up=np.full(N_ROWS, None, dtype=object),
        probability=np.full(N_ROWS, 0.5),
        second=np.full(N_ROWS, np.nan),
        status=status,
    )
    every = Pile(np.arange(N_ROWS), np.zeros(N_ROWS, dtype=bool))
    piles = Piles(Pile(rows, chosen), Pile(rows[:0], chosen[:0]), Pile(rows[::-1], drawn), every)
    return Desk(subject, piles, AnswerFile(path))


class Launcher:
    """Starts servers from a process of its own that has one thread.

    A fork copies the locks that other threads hold at that moment, and waits for them for ever: a process
    whose clients are threads cannot fork a server.
    """

    def __init__(self):
        (read, self._tell), (self._hear, write) = os.pipe(), os.pipe()
        if os.fork():
            return
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that are killed
        with os.fdopen(read) as asked:
            for line in iter(asked.readline, ""):
                os.write(write, f"{serve(*json.loads(line))}\n".encode())
        os._exit(0)

    def start(self, path, port):
        """The process id of a server of the page."""
        os.write(self._tell, f"{json.dumps([str(path), port])}\n".encode())
        return int(os.read(self._hear, 100))


def serve(path, port):
    """The process id of a fork that serves the page."""
    pid = os.fork()
    if pid:
        return pid
    try:
        Serving(desk_of(path), port, token=TOKEN).start()
        threading.Event().wait()
    finally:
        os._exit(70)


def killed(pid):
    """Kill a server, and wait until it is gone."""
    os.kill(pid, signal.SIGKILL)
    with suppress(ProcessLookupError):
        while True:
            os.kill(pid, 0)
            time.sleep(0.002)


def await_server(url, patience=60.0):
    person, end = Person(url), time.monotonic() + patience
    while True:
        try:
            return person.ask("state")
        except (OSError, HTTPException):
            if time.monotonic() > end:
                raise
            time.sleep(0.01)


class Client(threading.Thread):
    """Sends answers until it is told to stop; knows which were acknowledged, and with which number."""

    def __init__(self, url, name, seed):
        super().__init__(daemon=True)
        self.person, self.rng = Person(url, name), random.Random(seed)
        self.sent, self.acknowledged, self.stopping = {}, {}, threading.Event()
        self.n_again = 0

    def run(self):
        """Answers of all kinds, and now and then an undo."""
        while not self.stopping.is_set():
            key = secrets.token_hex(8)
            if self.rng.random() < 0.1 and self.acknowledged:
                self.send("undo", key, {"key": key})
            else:
                row, label = self.rng.randrange(N_ROWS), self.rng.choice([*CLASSES, None])
                pile = self.rng.choice(["ask", "audit", "browse"])
                self.send("answer", key, {"key": key, "rows": [row], "label": label, "pile": pile})

    def send(self, what, key, told):
        """Send until it is acknowledged, with the same key."""
        self.sent[key] = (what, told)
        while True:
            try:
                reply = self.person.tell(what, **told)
                break
            except (OSError, HTTPException):  # killed before, while or after it was written
                self.n_again += 1
                time.sleep(0.01)
                if self.stopping.is_set():
                    return
        self.acknowledged[key] = reply["saved"][0]["number"] if what == "answer" else reply["undone"]


def findings(path, clients):
    """What is wrong with the file, in words."""
    with sqlite3.connect(path) as database:
        (whole,) = database.execute("PRAGMA integrity_check").fetchone()
        lines = database.execute("SELECT number, key, row, label, undoes FROM answers").fetchall()
    by_key = {key.split(".")[0]: (number, row, label, undoes) for number, key, row, label, undoes in lines}
    wrong = [] if whole == "ok" else [f"the file is damaged: {whole}"]
    wrong += [f"doubled: {key}" for key, n in Counter(key for _, key, *_ in lines).items() if n > 1]
    wrong += [
        f"undone twice: {number}"
        for number, n in Counter(line[4] for line in lines).items()
        if number and n > 1
    ]
    sent = {key: told for client in clients for key, told in client.sent.items()}
    wrong += [f"never sent: {key}" for key in by_key if key not in sent]
    for client in clients:
        for key, number in client.acknowledged.items():
            what, told = client.sent[key]
            if what == "undo" and number is None:
                continue  # there was nothing to undo
            if key not in by_key:
                wrong.append(f"acknowledged and lost: {key}")
            elif what == "answer" and by_key[key][:3] != (number, told["rows"][0], told["label"]):
                wrong.append(f"not what was sent: {key}")
    return wrong, len(lines)


def at_a_pace(url, seconds, pace):
    """Seconds to each reply, for two clients that together send `pace` answers a second."""
    waits, lock = [], threading.Lock()

    def work(name, start):
        person = Person(url, name)
        for k in range(int(seconds * pace / 2)):
            due = start + 2 * k / pace
            time.sleep(max(0.0, due - time.monotonic()))
            begin = time.monotonic()
            found = person.ask("next", pile="ask") if k == 0 else found  # noqa: F821
            row, seen = found["card"]["row"], found["card"]["seen"]
            found = person.tell("answer", rows=[row], label="owl", pile="ask", seen=seen, next=True)
            with lock:
                waits.append((time.monotonic() - begin, time.monotonic() - due))

    start = time.monotonic() + 0.2
    threads = [threading.Thread(target=work, args=(name, start + k / pace)) for k, name in enumerate("ab")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return np.array(waits), time.monotonic() - start


def free_port():
    import socket

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, default=RESULTS)
    args = parser.parse_args()
    rng, launcher = random.Random(args.seed), Launcher()
    with tempfile.TemporaryDirectory() as folder:
        path, port = Path(folder) / "answers.sqlite", free_port()
        url = f"http://127.0.0.1:{port}/{TOKEN}/"
        pid = launcher.start(path, port)
        await_server(url)
        clients = [Client(url, name, k) for k, name in enumerate(("Ann", "Bo"))]
        for client in clients:
            client.start()
        for k in range(args.kills):
            if k % 20 == 0:
                print(f"{k} kills", flush=True)
            time.sleep(rng.uniform(0.0, 0.4))
            killed(pid)
            pid = launcher.start(path, port)
            await_server(url)
        for client in clients:
            client.stopping.set()
            client.join()
        killed(pid)
        wrong, n_records = findings(path, clients)
        calm = Path(folder) / "calm.sqlite"
        pid = launcher.start(calm, port)
        await_server(url)
        waits, seconds = at_a_pace(url, 10.0, 20.0)
        killed(pid)
    figures = {
        "kills": args.kills,
        "records in the file": n_records,
        "acknowledged": sum(len(client.acknowledged) for client in clients),
        "sent again after a kill": sum(client.n_again for client in clients),
        "acknowledged and lost": sum(each.startswith("acknowledged and lost") for each in wrong),
        "doubled": sum(each.startswith(("doubled", "undone twice")) for each in wrong),
        "findings": len(wrong),
        "answers at 20 a second": len(waits),
        "answers a second held": round(len(waits) / seconds, 1),
        "median milliseconds to a reply": round(1000 * float(np.median(waits[:, 0])), 1),
        "99th percentile": round(1000 * float(np.quantile(waits[:, 0], 0.99)), 1),
        "most behind the pace, milliseconds": round(1000 * float(waits[:, 1].max()), 1),
    }
    for what, value in figures.items():
        print(f"{what:<36} {value}")
    for each in wrong[:10]:
        print(each)
    args.results.mkdir(exist_ok=True)
    (args.results / "kill_review.json").write_text(
        json.dumps({"figures": figures, "findings": wrong}, indent=1)
    )
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
