import platform

import numpy as np

from surelabel.common.versions import DECISIVE, installed, versions


def test_a_release_is_what_the_package_says_of_itself():
    assert installed("numpy") == np.__version__
    assert installed("no-such-package") is None


def test_what_is_not_installed_is_left_out_and_python_never_is():
    assert versions(["numpy", "no-such-package"]) == {
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
    assert set(versions()) <= {"python", *DECISIVE}
