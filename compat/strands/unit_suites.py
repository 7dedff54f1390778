"""Test 30: Strands' own unit tests of stores, storages and sessions, unmodified, with `LociStorage` injected.

They are those of the source distribution of the installed version; its `conftest.py` needs packages of other services and is left out, and
so are the few tests that need its fixtures. What is excluded stands here with its reason; how many are left is checked.
"""

import functools
import importlib.metadata
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

import checks

HERE = pathlib.Path(__file__).parent
SOURCES = pathlib.Path(os.environ["STRANDS_SOURCES"])

#: Search by words alone: `LociStorage` searches by meaning, too, and what is far from the question comes last
#: instead of not at all.
BY_WORDS = ["test_returns_empty_for_no_matches", "test_search_returns_matching_results", "test_namespace_search_is_scoped"]
#: A class of Strands' own, a strategy or a sandbox given to it, its files, or the failures of a disk.
OF_THEIR_CLASSES = [
    "strategy",
    "sandbox",
    "clear",
    "subclass",
    "scoped_instance",
    "returns_local_file_storage",
    "normpath",
    "creates_directories",
    "error_raises",
    "indexing",
    "atomic_cleanup",
]
OF_STRATEGIES = ["share_strategy_without_reopening", "skips_keys_where_read_returns_none"]
#: Only a storage that forgets is saved within a snapshot.
OF_STORAGES_THAT_FORGET = ["inline_stash_for_ephemeral", "omits_stash_when_empty", "immutable_snapshot_includes_stash", "ephemeral_detection"]
NAMESPACED_IN_MEMORY = ["test_false_with_namespaced_in_memory_storage"]
#: Fixtures of the file that is left out.
OF_CONFTEST = ["test_interrupted_graph_restores", "test_interrupted_swarm_restores"]

#: A file or folder below `tests/strands`, what of it is excluded, and how many tests are left.
SUITES = [
    ("vended_memory_stores/file_memory_store", BY_WORDS[:1], 37),
    ("storage/test_in_memory_storage", BY_WORDS + OF_THEIR_CLASSES, 14),
    ("storage/test_local_file_storage", BY_WORDS + OF_THEIR_CLASSES, 18),
    ("storage/search", OF_STRATEGIES, 49),
    ("session/test_snapshot_session_manager", OF_STORAGES_THAT_FORGET + OF_CONFTEST, 111),
    ("agent/test_agent_storage", [], 17),
    ("_context_manager", NAMESPACED_IN_MEMORY, 295),
    ("vended_plugins/context_offloader", ["TestRetrievalToolErrorStatus"], 181),
]


def excluded(test):
    """Whether a test, by its full name, is one of the excluded."""
    return any(f".{place.replace('/', '.')}" in test and any(name in test for name in names) for place, names, _ in SUITES)


@functools.cache
def outcomes():
    """Every test's full name and whether it passed, of one run of all."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.xml"
        paths = [f"tests/strands/{place}{'.py' if '/test_' in place else ''}" for place, _, _ in SUITES]
        command = [sys.executable, "-m", "pytest", "-q", "--noconftest", "-p", "injected", "-p", "no:cacheprovider", "--disable-warnings"]
        command += ["--tb=short", "-o", "addopts=", f"--junitxml={report}", *paths]
        told = os.environ | {"PYTHONPATH": str(HERE)}
        result = subprocess.run(command, cwd=SOURCES, env=told, capture_output=True, text=True, timeout=110)
        calls = int(re.search(r"the server was called (\d+) times", result.stdout)[1])
        assert calls > 500, f"the storage was used {calls} times: the tests say nothing of it"
        cases = ElementTree.parse(report).iter("testcase")
        return {f"{case.get('classname')}.{case.get('name')}": [child.text or "" for child in case if child.tag != "system-out"] for case in cases}


def suite(place, names, expected):
    """A check of one file's tests."""

    def check():
        of_it = {test: bad for test, bad in outcomes().items() if f".{place.replace('/', '.')}" in test}
        failed = {test: bad for test, bad in of_it.items() if bad and not excluded(test)}
        assert not failed, "\n".join(f"{test}: {''.join(bad)}" for test, bad in failed.items())
        passed = sum(not excluded(test) for test in of_it)
        assert passed == expected, f"{passed} tests passed"

    check.__doc__ = f"30 python: {expected} tests of Strands' {place}, with LociStorage"
    return check


def one_version():
    """30 python: the tests are those of the installed version"""
    assert SOURCES.name.endswith(f"-{importlib.metadata.version('strands-agents')}"), SOURCES


def no_spare_exclusion():
    """30 python: every excluded test fails or cannot run: none is left out for nothing"""
    spare = [test for test, bad in outcomes().items() if excluded(test) and not bad]
    assert not spare, spare


if __name__ == "__main__":
    checks.run([*(suite(*one) for one in SUITES), one_version, no_spare_exclusion])
