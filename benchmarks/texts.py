"""What encoding many short texts takes: processor seconds and memory.

Run with `make bench-texts` (a minute), or with ARGS="--rows 20000". Texts are made up: 4 to 15 words, from a
list of 30,000 in three scripts, of which the k-th is drawn with a share of 1 / k. Terms and directions are
learnt from 20,000 of the rows, as in a fit; then all rows are encoded, block by block, as in a prediction.
Memory is the most that the process ever had, less what it had with the texts in place.
"""

import argparse
import json
import resource
import time
from pathlib import Path

import numpy as np
import pandas as pd

from surelabel.bench.runner import circumstances
from surelabel.committees.text import TextSpace

ALPHABETS = ("abcdefghiklmnoprstuvwy", "абвгдежзиклмнопрстуф", "αβγδεζηθικλμνοπρστυφω")
WORDS = 30_000
BLOCK = 10_000


def texts(n, rng):
    """Made-up texts, a list."""
    words = np.array(
        ["".join(rng.choice(list(ALPHABETS[k % 3]), size=rng.integers(2, 10))) for k in range(WORDS)]
    )
    shares = 1 / np.arange(1, WORDS + 1)
    lengths = rng.integers(4, 16, size=n)
    drawn = words[rng.choice(WORDS, size=lengths.sum(), p=shares / shares.sum())]
    return [" ".join(part) for part in np.split(drawn, np.cumsum(lengths)[:-1])]


def peak():
    """The most memory that this process ever had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def timed(work):
    """Processor seconds of some work, and what it gave."""
    start = time.process_time()
    result = work()
    return round(time.process_time() - start, 2), result


def measured(n):
    """Seconds and memory of learning from n texts and of encoding them."""
    X = pd.DataFrame({"text": pd.Series(texts(n, np.random.default_rng(0)), dtype=object)})
    before = peak()
    learnt, space = timed(lambda: TextSpace().fit(X))
    after_fit = peak()
    blocks = [X.iloc[start : start + BLOCK] for start in range(0, n, BLOCK)]
    encoded, shapes = timed(lambda: [space.transform(block).shape for block in blocks])
    return {
        "rows": n,
        "terms": len(space.terms_),
        "directions": shapes[0][1],
        "cpu_seconds": {"learn": learnt, "encode": encoded},
        "memory_mb": {
            "texts": round(before),
            "learn": round(after_fit - before),
            "all": round(peak() - before),
        },
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=100_000, help="how many texts")
    parser.add_argument("--out", type=Path, default=Path("results/texts.json"), help="the JSON file to write")
    args = parser.parse_args()
    TextSpace().fit(pd.DataFrame({"text": ["some words", "some more words", "other words"]}))  # imports
    found = measured(args.rows) | {"circumstances": circumstances("make bench-texts")}
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
