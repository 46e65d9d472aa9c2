"""A person in the loop: accuracy and promised labels against the number of answers, by who chooses the rows.

Run with `make bench-loop ARGS="--data-dir DIR --draws 3"`. Each table begins with 60 labels at random; a
simulated person, who knows the truth, answers 50 rows at a time, 200 in all. csa() is trained on all answers,
predicts rows that nobody is asked about, and fills in labels under a promise of 95%, which counts only rows
that were drawn at random. Rows are chosen by `next_rows`, at random, and by strategies of scikit-activeml,
which get the probabilities of the same csa(). Every run is kept in results/loop/; what is there is not
computed again, and the summary is of all that is there. Prints it, and writes results/loop.json.
"""

import argparse
import json
from importlib.util import find_spec
from pathlib import Path

from loop_run import AT_RANDOM, BATCH, FIRST, OTHERS, OURS, stored
from loop_summary import beside_ours, lines, overall, promises

from surelabel.bench.datasets import DataError
from surelabel.bench.folder_tables import TooSmallError
from surelabel.bench.table_suites import HALVES

RESULTS = Path("results")
STEPS = 4
# What is stored of each point; the last four of the promise on average, and of that with confidence.
POINTS = (
    "answers", "sampled", "accuracy", "pool", "alike", "filled", "right", "sure filled", "sure right",
)  # fmt: skip
# All on which a fit takes at most about two seconds, and the digits.
TABLES = (
    "abalone_rare", "attrition", "banana", "breast_cancer", "chile", "contraceptive", "diamonds", "digits",
    "hawks", "led7digit", "lending_club", "magic", "mammographic", "marketing", "mlc_churn", "nass_crashes",
    "orange_juice", "penbased", "pima", "ring", "segment", "spambase", "storms", "surveys",
    "synthetic_control", "texture", "tic_tac_toe", "vehicle",
)  # fmt: skip


def computed(options, who):
    """Every run that is asked for, all tables once before any of them twice."""
    for draw in range(options.first_draw, options.first_draw + options.draws):
        for name in options.tables or TABLES:
            for each in who:
                try:
                    run = stored(name, draw, each, options.data_dir, STEPS, RESULTS / "loop")
                except (TooSmallError, DataError) as error:
                    print(f"left out: {error}", flush=True)
                    break
                shown = " ".join(
                    f"{100 * point['accuracy']:.1f}/{point['mean']['filled'] / point['pool']:.2f}"
                    for point in run["points"]
                )
                print(f"{name} {draw} {each}: {shown}", flush=True)


def show(found, whole, others, kept):
    """The summary, in lines."""
    for line in found:
        answers = "never" if line["answers"] is None else f"{line['answers']:.0f}"
        print(
            f"{line['table']:18} {line['who']:22} {answers:>5} answers to {line['goal']:.1%}; "
            f"{line['gain']:+.2f} points, {line['draws']} draws"
        )
    for half, each in whole.items():
        for who, of in each.items():
            print(
                f"{half:10} {who:20} {of['tables']} tables, {of['draws']:.1f} draws: median answers "
                f"{of['median_answers']}, where random order gains ({of['tables_helped']}) "
                f"{of['median_answers_helped']}; points {of['gains'][0]:+.2f} ({of['gains'][1]}); "
                f"promised {of['promised_gains'][0]:+.1f} ({of['promised_gains'][1]}); "
                f"below beyond noise: {of['below_beyond_noise']}"
            )
    for who, of in others.items():
        print(
            f"next_rows less {who}: {of['ours_less'][0]:+.2f} ({of['ours_less'][1]}) points in {of['runs']} "
            f"runs; median answers {of[OURS]['median_answers']} and {of[who]['median_answers']}"
        )
    for who, of in kept.items():
        print(
            f"{who:20} right {of['right'][0]:.3f} ({of['right'][1]}), where filled "
            f"{of['right_where_filled'][0]:.3f}; below {of['below']}; withheld {of['withheld']} of "
            f"{of['points']}; with confidence failed {of['sure_failed']} of {of['sure']}; "
            f"audits failed {of['audits_failed']} of {of['audits']}, "
            f"the best of each run {of['picked_failed']} of {of['picked']}"
        )


def in_short(run):
    """A run with a list for each point, in the order of POINTS."""
    points = [
        [*(point[key] for key in POINTS[:5]), *point["mean"].values(), *point["sure"].values()]
        for point in run["points"]
    ]
    return {**run, "points": points}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--first-draw", type=int, default=0)
    parser.add_argument("--tables", nargs="*")
    parser.add_argument("--who", nargs="*", choices=[AT_RANDOM, OURS, *OTHERS])
    options = parser.parse_args()
    who = options.who or [AT_RANDOM, OURS, *OTHERS]
    if find_spec("skactiveml") is None:
        print("left out: strategies of scikit-activeml; install scikit-activeml to compare with them")
        who = [each for each in who if each not in OTHERS]
    computed(options, who)
    runs = [json.loads(path.read_text()) for path in sorted((RESULTS / "loop").glob(f"*-{STEPS}.json"))]
    found = lines(runs)
    whole = {str(half): overall(found, half) for half in (None, *HALVES)}
    whole["all"] = whole.pop("None")
    others, kept = beside_ours(runs), promises(runs)
    show(found, whole, others, kept)
    said = {"first": FIRST, "batch": BATCH, "overall": whole, "others": others, "promises": kept}
    said |= {"lines": found, "points": POINTS, "runs": [in_short(run) for run in runs]}
    (RESULTS / "loop.json").write_text(json.dumps(said) + "\n")


if __name__ == "__main__":
    main()
