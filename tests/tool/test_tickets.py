"""A table of tickets in three scripts, as a person would bring it."""

import numpy as np
import pandas as pd
import pytest
from birds import surelabel

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
