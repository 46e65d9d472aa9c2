"""A table of tickets in three scripts, as a person would bring it."""

import numpy as np
import pandas as pd
import pytest
from birds import surelabel
from remarks import beside, few, remarks

from surelabel.tool.settings import Settings
from surelabel.tool.table_reading import read_tables

N = 20_000
TEMPLATES = (
    "La machine à café n° {} est cassée depuis hier, s'il vous plaît réparez-la",
    "第{}号打印机坏了,请尽快派人来修理,谢谢",
    "الطابعة رقم {} لا تعمل منذ أمس، الرجاء إصلاحها",
)


@pytest.fixture(scope="module")
def tickets(tmp_path_factory):
    """A CSV file, sorted by its script."""
    rng = np.random.default_rng(0)
    k = np.arange(N)
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 10**8, N), unit="s")
    frame = pd.DataFrame(
        {
            "ticket": [f"T-{i:06d}" for i in k],
            "opened": days.strftime("%d.%m.%Y %H:%M"),
            "due": days.strftime("%H:%M"),
            "message": [TEMPLATES[i * 3 // N].format(i) for i in k],
            "city": rng.choice(["Orléans", "上海", "القاهرة"], N),
            "customer": rng.choice([f"K{i}" for i in range(900)], N),
            "cost": [f"{i % 97},50 €" for i in k],
            "page": [f"https://example.org/tickets/{i}" for i in k],
            "urgent": rng.choice(["yes", "no"], N),
        }
    )
    path = tmp_path_factory.mktemp("tickets") / "tickets.csv"
    frame.to_csv(path, index=False)
    return path


def test_inspect_tells_what_each_column_is(tickets):
    kinds = read_tables(Settings.of({"data": str(tickets), "target": "urgent"})).facts.kinds
    assert {name: kind.kind for name, kind in kinds.items()} == {
        "ticket": "identifier",
        "opened": "date and time",
        "due": "time",
        "message": "text",
        "city": "category",
        "customer": "many levels",
        "cost": "number",
        "page": "url",
        "urgent": "target",
    }
    result = surelabel("inspect", tickets, "--target", "urgent")
    assert result.exit_code == 0, result.output
    assert "date and time" in result.output
    overruled = surelabel("inspect", tickets, "--target", "urgent", "--text", "customer", "--date", "due")
    assert overruled.exit_code == 0, overruled.output


@pytest.mark.slow
def test_labels_follow_from_words_in_three_scripts(tmp_path):
    X, truth = remarks(1_500, scripts=3)
    desk = np.array(["money", "device", "entry"])
    frame = beside(X, truth).assign(desk=few(desk[truth], 120, ""))
    frame.to_csv(tmp_path / "tickets.csv", index=False)
    out = tmp_path / "run"
    result = surelabel("label", tmp_path / "tickets.csv", "--target", "desk", "--out", out, "--no-report")
    assert result.exit_code == 0, result.output
    assert quiet(result)
    filled = pd.read_csv(out / "labels.csv", keep_default_na=False)
    known = (filled["desk"] != "").to_numpy()
    assert known.mean() > 0.5
    assert (filled["desk"] == desk[truth])[known].mean() > 0.95

    X, truth = remarks(300, seed=1, scripts=3)
    beside(X, truth, seed=1).to_csv(tmp_path / "new.csv", index=False)
    result = surelabel("predict", out, tmp_path / "new.csv", "--out", tmp_path / "predicted.csv")
    assert result.exit_code == 0, result.output
    assert quiet(result)
    predicted = pd.read_csv(tmp_path / "predicted.csv")
    assert (predicted["desk_predicted"] == desk[truth]).mean() > 0.9


def quiet(result):
    """Whether nothing that a command says is a warning."""
    return not any(word in result.output for word in ("Warning", "warning", "Traceback", "Error"))
