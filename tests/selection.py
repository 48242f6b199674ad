"""Which of the tests a run is of, and in which order: all, or some by database or by time.

`--only-with-database` leaves out what opens no database, and says how many that were: on another
database they would say the same again. `--seconds` lets no test begin later than that.
"""

import itertools
import shutil
import tempfile
import time

import pytest

_DATABASE = {"db", "transactional_db", "django_db_setup", "live_server", "make_once"}
# What the tests that run at a time, and the databases, take of the temporary folder, amply.
MEGABYTES = 300
_STARTERS = {"tests.fork_server", "tests.machines.webs", "tests.project.backups.places", "tests.up"}
_SERVERS = {"port", "live_server"}
_left_out = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--only-with-database", action="store_true", help="only what uses a database")
    parser.addoption("--seconds", type=float, help="begin no test after so many seconds")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_left_out] = 0
    seconds = config.getoption("seconds")
    if trouble := lack_of_room():
        raise pytest.UsageError(trouble)
    # The workers of a run are told when it ends.
    if seconds and not hasattr(config, "workerinput"):
        config.option.until = time.time() + seconds


def lack_of_room(folder: str = "", megabytes: int = MEGABYTES) -> str:
    """Return what the temporary folder lacks for a run, or nothing."""
    folder = folder or tempfile.gettempdir()
    free = shutil.disk_usage(folder).free // 2**20
    if free >= megabytes:
        return ""
    return f"{folder} has {free} MB free, and tests need up to {megabytes}; TMPDIR names another folder"


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node) -> None:
    node.workerinput["until"] = getattr(node.config.option, "until", None)


def uses_database(item: pytest.Item) -> bool:
    """Return True if the test asks for a database, by a mark or by a fixture of a fixture."""
    asked = set(getattr(item, "fixturenames", ()))
    return item.get_closest_marker("django_db") is not None or bool(asked & _DATABASE)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("only_with_database"):
        leave_out_pure(config, items)
    # Where time is short, what is nearest comes first.
    given = getattr(config, "workerinput", None)
    if given and not config.getoption("seconds"):
        items[:] = begin_with_long(items, given["workercount"])


def begin_with_long(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """Return them so that no worker is left waiting for a long test of another that began last.

    Each of them begins with as many, in this order (`--dist worksteal`): first come the modules that
    start processes, by turns, and last those that serve in threads: some of them stay, and while
    there is one, what reads mail is not forked but started, which takes a second for each process.
    """
    modules = [list(group) for _, group in itertools.groupby(items, lambda item: item.path)]
    serving = {item.path for item in items if serves_in_threads(item)}
    last = [module for module in modules if module[0].path in serving]
    rest = [module for module in modules if module[0].path not in serving]
    long = [module for module in rest if starts_processes(module[0])]
    short = itertools.chain(*(module for module in rest if not starts_processes(module[0])))
    ordered: list[pytest.Item] = []
    for number in range(workers):
        first = list(itertools.chain(*long[number::workers]))
        end = list(itertools.chain(*last[number::workers]))
        share = len(items) * (number + 1) // workers - len(ordered) - len(first) - len(end)
        ordered += [*first, *itertools.islice(short, max(0, share)), *end]
    return [*ordered, *short]


def serves_in_threads(item: pytest.Item) -> bool:
    """Return True if the test asks for a server within this process."""
    return not _SERVERS.isdisjoint(getattr(item, "fixturenames", ()))


def starts_processes(item: pytest.Item) -> bool:
    """Return True if the test's module has something of those that start processes of ours."""
    names = vars(getattr(item, "module", None) or object).values()
    return any(getattr(each, "__module__", "") in _STARTERS for each in names)


def leave_out_pure(config: pytest.Config, items: list[pytest.Item]) -> None:
    pure = [item for item in items if not uses_database(item)]
    items[:] = [item for item in items if uses_database(item)]
    config.hook.pytest_deselected(items=pure)
    config.stash[_left_out] = len(pure)
    if hasattr(config, "workeroutput"):
        config.workeroutput["left_out"] = len(pure)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error) -> None:
    told = getattr(node, "workeroutput", {}).get("left_out", 0)
    node.config.stash[_left_out] = max(told, node.config.stash[_left_out])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    given = getattr(item.config, "workerinput", {}).get("until")
    until = given or getattr(item.config.option, "until", None)
    if until and time.time() > until:
        pytest.skip("no time was left for it")


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    if config.stash[_left_out]:
        terminalreporter.write_line(
            f"{config.stash[_left_out]} tests that open no database were left out: they say the "
            "same on every database, and are part of `make test`."
        )
