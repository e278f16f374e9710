"""The examples of all docstrings, and those of the documentation."""

import doctest
import pathlib
import sys

import pytest

import bezout

ROOT = pathlib.Path(__file__).parents[2]


def test_docstrings():
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    public = {name: getattr(bezout, name) for name in bezout.__all__}
    examples = 0
    for name, item in [("bezout", bezout), *public.items()]:
        if name == "bezout":
            tests = [doctest.DocTestParser().get_doctest(item.__doc__, {}, name, None, 0)]
        elif isinstance(item, type):
            texts = [item.__doc__] + [getattr(item, part).__doc__ for part in vars(item)]
            join = doctest.DocTestParser().get_doctest
            tests = [join(text, {}, name, None, 0) for text in texts if text]
        else:
            tests = finder.find(item, name, globs={})
            assert item.__doc__, name
        for test in tests:
            examples += len(test.examples)
            runner.run(test)
    assert runner.summarize(verbose=False).failed == 0 and examples > 150


@pytest.mark.parametrize("path", ["docs/python.md", "docs/coming-from-gmpy2.md", "python/README.md"])
def test_documentation(path):
    result = doctest.testfile(str(ROOT / path), module_relative=False, encoding="utf-8")
    assert result.failed == 0 and result.attempted > 0


def test_figures_are_those_of_the_results():
    sys.path.insert(0, str(ROOT / "python"))
    try:
        import bench_report
    finally:
        sys.path.pop(0)
    assert bench_report.PAGE.read_text() == bench_report.page()
    for path, contents in bench_report.pictures().items():
        assert path.read_text() == contents, path.name
