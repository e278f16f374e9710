"""The command `bezout` that comes with the package."""

import pathlib
import shutil
import signal
import subprocess
import sys
import time

import pytest

import bezout

COMMAND = pathlib.Path(sys.executable).with_name("bezout")

if not COMMAND.exists():
    pytest.skip("the package's command is not installed", allow_module_level=True)


def run(*arguments, **options):
    return subprocess.run(
        [COMMAND, *arguments], capture_output=True, text=True, timeout=120, **options
    )


def test_results_go_to_stdout():
    done = run("calc", "2^100 + 1")
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, str(2**100 + 1), "")
    assert run("gcd", str(2**70 - 1), str(2**42 - 1)).stdout.strip() == str(2**14 - 1)
    assert bezout.__version__ in run("--version").stdout


def test_the_module_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "bezout", "calc", "2^10"], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "1024", "")


def test_the_package_needs_no_metadata(tmp_path):
    """As in a program that is frozen, where pip's files are not."""
    package = pathlib.Path(bezout.__file__).parent
    shutil.copytree(package, tmp_path / "bezout", ignore=shutil.ignore_patterns("__pycache__"))
    code = "import sys; sys.path[:] = [p for p in sys.path if 'site-packages' not in p]; import bezout"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; print(bezout.__version__, bezout.__file__)"],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
    )
    assert done.stdout.split() == [bezout.__version__, str(tmp_path / "bezout" / "__init__.py")], done.stderr


def test_errors_are_exit_codes():
    for arguments in (("calc", "1 +"), ("nonsense",), ("calc", "1 / 0")):
        done = run(*arguments)
        assert done.returncode in (1, 2) and done.stdout == "" and "error" in done.stderr


def test_output_is_complete_in_a_pipe():
    done = run("calc", "3^300000")
    assert done.stdout.strip() == bezout.mpz(3).__pow__(300000).digits()


def test_an_interrupt_ends_it():
    process = subprocess.Popen([COMMAND, "factor", str((2**521 - 1) * (2**607 - 1))])
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) != 0
