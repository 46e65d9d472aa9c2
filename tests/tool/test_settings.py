"""Settings: what may be asked, from options and from a file, and what is refused."""

import json
import os

import pytest
from birds import surelabel

from surelabel.files import InputError
from surelabel.tool.settings import METHODS, Settings, from_toml, prior_of

GIVEN = {"data": "birds.csv", "target": "species"}


@pytest.fixture
def toml(tmp_path):
    """Settings of a text."""

    def read(text):
        path = tmp_path / "run.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return from_toml(path)

    return read


def test_names_may_have_dashes(toml):
    assert toml('missing-label = "?"') == toml('missing_label = "?"') == {"missing_label": "?"}


def test_a_table_of_shares_and_lists_of_columns(toml):
    found = toml('drop = ["a", "b"]\n[prior]\ncat = 1\n"dog, old" = 0')
    assert found == {"drop": ("a", "b"), "prior": {"cat": 1.0, "dog, old": 0.0}}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("roundz = 3", "no setting 'roundz'; did you mean 'rounds'?"),
        ("zebra = 3", "no setting 'zebra'."),
        ("rounds = '3'", "rounds must be a whole number; it is '3'"),
        ("rounds = true", "rounds must be a whole number; it is True"),
        ("seed = 1.5", "seed must be a whole number"),
        ("guard = 1", "guard must be true or false"),
        ("target = 3", "target must be text"),
        ("drop = 'a'", "drop must be a list of column names"),
        ("drop = [1]", "drop must be a list of column names"),
        ("prior = 0.5", "prior must give each class a share"),
        ("prior = {cat = 'x'}", "prior must give each class a share"),
        ("prior = {cat = nan}", "prior must give each class a share"),
        ("prior = {cat = 1" + "0" * 400 + "}", "prior must give each class a share"),
        ("rounds = ", "not a TOML file"),
        (b"\xff", "not a TOML file"),
        ("a = " + "[" * 10_000, "not a TOML file"),
        ("seed = " + "9" * 10_000, "not a TOML file"),
    ],
)
def test_a_file_is_refused_by_name_of_the_setting(text, words, toml):
    with pytest.raises(InputError, match=r"run\.toml: ") as raised:
        toml(text)
    assert words in str(raised.value)


def test_what_is_no_file(tmp_path):
    with pytest.raises(InputError, match=r"No file '.*no\.toml'"):
        from_toml(tmp_path / "no.toml")
    with pytest.raises(InputError, match="is a folder"):
        from_toml(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="pipes and devices of POSIX")
def test_a_pipe_is_refused_before_it_is_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(InputError, match="is a pipe"):
        from_toml(tmp_path / "pipe.toml")
    with pytest.raises(InputError, match="is a device"):
        from_toml("/dev/zero")


def test_options_count_over_the_file(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "run.toml"
    config.write_text(
        'data = "birds.csv"\ntarget = "species"\nmethod = "pl"\nguard = false\nrounds = 2\nseed = 4\n'
        'out = "there"\nquiet = true\nreport = false\nright = 0.5\n[prior]\ncat = 0.5\ndog = 0.5\nowl = 0\n'
    )
    result = surelabel("label", "--config", config)
    assert (result.exit_code, result.output) == (0, "")
    first = json.loads((tmp_path / "there" / "run.json").read_text())["settings"]
    assert (first["rounds"], first["seed"], first["guard"]) == (2, 4, False)
    args = ("--rounds", 1, "--out", "here", "--prior", "cat=0.2,dog=0.3,owl=0.5")
    assert surelabel("label", "--config", config, *args).exit_code == 0
    second = json.loads((tmp_path / "here" / "run.json").read_text())["settings"]
    assert (second["rounds"], second["seed"]) == (1, 4)
    assert second["prior"] == {"cat": 0.2, "dog": 0.3, "owl": 0.5}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_makes_a_classifier_with_the_settings(method):
    settings = Settings.of(GIVEN | {"method": method, "seed": 3, "jobs": 2, "prior": {"a": 0.5, "b": 0.5}})
    clf = settings.classifier(["a", "b"])
    assert (clf.random_state, clf.n_jobs, clf.class_prior) == (3, 2, {"a": 0.5, "b": 0.5})
    assert clf.n_rounds == (0 if method == "supervised" else 5)


def test_members_are_seats():
    assert Settings.of(GIVEN | {"members": 7}).classifier(["a", "b"]).committee.n_seats == 7


def test_a_prior_names_classes_as_they_are_written():
    assert prior_of(["a=b=0.25", "c=.75"]) == {"a=b": 0.25, "c": 0.75}
    settings = Settings.of(GIVEN | {"prior": {"7": 1.0, "8": 0.0}})
    assert settings.classifier([7, 8]).class_prior == {7: 1.0, 8: 0.0}


def test_a_prior_names_every_class():
    classes = [f"c{k}" for k in range(20)]
    with pytest.raises(InputError, match=r"not 'c1', 'c2', .*, 'c10' and 9 more. Give each class its share"):
        Settings.of(GIVEN | {"prior": {"c0": 1.0}}).classifier(classes)
    # Of several labels, those not named have the share of the known cells.
    Settings.of(GIVEN | {"prior": {"c0": 0.5}}).classifier(classes, several=True)


@pytest.mark.parametrize("name", ["data", "target", "unlabeled", "sheet", "encoding"])
def test_names_are_not_empty(name):
    with pytest.raises(InputError, match="is empty"):
        Settings.of(GIVEN | {name: " "})


@pytest.mark.parametrize("jobs", [0, -2, 1_025, 10**9])
def test_jobs_have_bounds(jobs):
    with pytest.raises(InputError, match=f"--jobs must be from 1 to 1,000, or -1 .*; it is {jobs}"):
        Settings.of(GIVEN | {"jobs": jobs})


def test_a_machine_has_bounds(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    dask = GIVEN | {"engine": "dask"}
    assert Settings.of(dask | {"jobs": 8}).jobs == 8
    with pytest.raises(InputError, match="--jobs 9 would start as many processes on this machine"):
        Settings.of(dask | {"jobs": 9})
    assert Settings.of(dask | {"jobs": 9, "scheduler": "tcp://there:1"}).jobs == 9


def test_clean_is_one_of_two_ways_on_one_machine():
    assert Settings.of(GIVEN | {"clean": "drop"}).clean == "drop"
    assert "--clean down-weight" in Settings.of(GIVEN | {"clean": "down-weight"}).command("run")
    with pytest.raises(InputError, match="--clean must be one of drop, down-weight; it is 'sweep'"):
        Settings.of(GIVEN | {"clean": "sweep"})
    with pytest.raises(InputError, match="--clean is not for --engine dask"):
        Settings.of(GIVEN | {"engine": "dask", "clean": "drop"})


@pytest.mark.parametrize("members", [-5, 0, 1, 201, 10**9])
def test_members_have_bounds(members):
    with pytest.raises(InputError, match=f"--members must be from 2 to 200; it is {members}"):
        Settings.of(GIVEN | {"members": members})


def test_what_jobs_and_folders_are_makes_no_other_run():
    settings = Settings.of(GIVEN | {"jobs": 2})
    assert settings.differences(Settings.of(GIVEN | {"data": "/there/birds.csv"}).plain()) == []
    assert settings.differences(Settings.of(GIVEN | {"data": "cats.csv"}).plain()) == [
        "data was 'cats.csv' and is 'birds.csv'"
    ]
    assert json.loads(json.dumps(settings.plain())) == settings.plain()


def test_options_have_the_words_of_the_command_line():
    asked = Settings(
        "birds.csv", target="species", drop=("a", "b"), guard=False, prior={"owl": 0.2, "wren": 0.8}
    )
    options = asked.options()
    assert options["--drop"] == "a, b"
    assert options["--prior"] == "owl=0.2,wren=0.8"
    assert options["--no-guard"] == "on"
    assert options["--right"] == "0.95"
    assert {"--unlabeled", "--per-class", "--data", "--report"}.isdisjoint(options)
