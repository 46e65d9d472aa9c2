import subprocess
import sys


def test_saving_imports_no_library_of_others():
    code = (
        "import sys; from surelabel.saving.skops_import import skops_io; skops_io().dumps; "
        "print([name for name in ('torch', 'dask') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
