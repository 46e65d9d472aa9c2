import subprocess
import sys

import pytest

from surelabel.files import InputError, alone_in

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="folders are not claimed there")
WAIT = """
import sys
from surelabel.files import alone_in
with alone_in(sys.argv[1]):
    print("claimed", flush=True)
    sys.stdin.read()
"""


def test_a_folder_is_made_claimed_once_and_free_again(tmp_path):
    folder = tmp_path / "a" / "b"
    for _ in range(2):
        with alone_in(folder):
            with pytest.raises(InputError, match="Another run is writing"), alone_in(folder):
                pass
            with alone_in(tmp_path / "other"):
                pass
    assert list(folder.iterdir()) == []


def test_an_error_within_gives_the_folder_back(tmp_path):
    with pytest.raises(KeyError), alone_in(tmp_path):
        raise KeyError
    with alone_in(tmp_path):
        pass


def test_a_claim_holds_against_other_processes_and_ends_with_them(tmp_path):
    command = [sys.executable, "-c", WAIT, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"claimed\n"
        with pytest.raises(InputError, match="Another run is writing"), alone_in(tmp_path):
            pass
        process.kill()
        process.wait()
    with alone_in(tmp_path):
        pass


def test_a_name_that_is_taken_by_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="Cannot make the folder"), alone_in(tmp_path / "file"):
        pass
