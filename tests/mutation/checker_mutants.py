"""`python -m tests.mutation.checker_mutants [MODULE...]`: change the checker, ask the tests.

A mutant is one module of the checker with one place changed: a comparison, an operator, a number,
a condition of an `if`, or a `raise` or a call of `trial` left out. It is killed when a test that
runs over the changed line fails; one that survives is a gap in the tests, unless
tests/mutation/equivalent.toml says why nothing can tell it from the original. Words for people
(messages, the later arguments of `trial.require`) and the amounts that `trial.spend` and
`trial.keep` charge are left alone, and so is the `strict` of a zip, which never raises: lengths
that a certificate chooses are compared by `require` before. The operators are mutmut's
(https://mutmut.readthedocs.io) and three of our own.

Every mutant runs in a process forked after the tests were collected, in which the code of the
changed functions is put in place of the original: nothing is written to the working tree.
Tests that take longer than LONGEST seconds are never shown, nor those for which no time is left
after those named for the module; the quick ones and those that have killed before come first.
Modules joined by commas are examined together: their tests are collected and timed once.

Options: `--every=N` takes every N-th mutant, `--seconds=S` starts no mutant more than S seconds
after the tests were timed and takes them in mixed order, `--log=FILE` adds a line of JSON for each
outcome, `--again` takes only what survived last according to that file, and shows it more tests.
"""

import contextlib
import gc
import importlib
import io
import json
import os
import pickle
import random
import re
import resource
import signal
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, is_dataclass
from fractions import Fraction
from functools import _lru_cache_wrapper
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import libcst as cst
import pytest
from coverage import Coverage
from hypothesis import Phase, settings
from libcst.metadata import (
    MetadataWrapper,
    ParentNodeProvider,
    WhitespaceInclusivePositionProvider,
)
from mutmut.mutation import mutators

ROOT = Path(__file__).parents[2]
PACKAGE = "proofs_checks.checker"
EQUIVALENT = Path(__file__).parent / "equivalent.toml"
OWN_TESTS = Path(__file__).parent / "checker_tests.toml"
TESTS = ROOT / "tests"
ALONE = Path(__file__).parent / "test_alone.py"
OPERATORS = [
    (cst.BaseNumber, mutators.operator_number),
    (cst.Name, mutators.operator_name),
    (cst.AugAssign, mutators.operator_augmented_assignment),
    (cst.UnaryOperation, mutators.operator_remove_unary_ops),
    (cst.CSTNode, mutators.operator_keywords),
    (cst.CSTNode, mutators.operator_swap_op),
    (cst.IfExp, mutators.operator_if_exp),
]
WORDS = {"malformed", "declined", "Undecided", "Refusal", "brief", "bad", "Summary", "TooLarge"}
# what charges for work and memory, and the functions that measure it
CHARGES = {"spend", "_spend", "afford", "keep"}
WORK = {"size", "_size", "cost", "series_cost", "share_cost", "gamma_cost"}
WORK |= {"steps", "transcendental", "afford", "_weight"}
LONGEST = 2.5  # CPU of one test, which is stopped and left out if it takes more
BASELINE = 60.0  # CPU of all tests, for each module of a run; later ones are left out
SECONDS = 2.5  # CPU of the tests that one mutant is shown, the quickest first
PATIENT = 20.0  # the same for a line that runs at import, which any test may feel, and with --again
MEMORY = 4 << 30


@dataclass(frozen=True)
class Mutant:
    """A changed module: which lines, in which function, from what to what."""

    module: str
    function: str
    lines: tuple[int, int]
    before: str
    after: str
    source: str

    def key(self) -> tuple[str, str, str, str]:
        """What names the mutant in equivalent.toml, whatever the line numbers are."""
        return self.module, self.function, self.before, self.after

    def __str__(self) -> str:
        return f"{self.module}:{self.lines[0]} {self.function}: `{self.before}` -> `{self.after}`"


def mutants(module: str) -> Iterator[Mutant]:
    """Every mutant of a module of the checker, named as `kinds/fluid_value`."""
    text = (ROOT / PACKAGE.replace(".", "/") / f"{module}.py").read_text()
    wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    parents = wrapper.resolve(ParentNodeProvider)
    places = wrapper.resolve(WhitespaceInclusivePositionProvider)
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    seen = {text}
    for node, span in places.items():
        if node not in parents:
            continue
        first = starts[span.start.line - 1] + span.start.column
        last = starts[span.end.line - 1] + span.end.column
        changes = list(_changes(node, parents[node])) if first < last else []
        if not changes or _is_words(node, parents):
            continue
        for changed in changes:
            source = text[:first] + wrapper.module.code_for_node(changed) + text[last:]
            if source in seen:
                continue
            seen.add(source)
            before, after, number = _difference(text, source)
            lines = number, number + len(before.splitlines()) - 1
            words = (" ".join(each.split()) for each in (before, after))
            yield Mutant(module, _function(node, parents), lines, *words, source)


def _changes(node: cst.CSTNode, parent: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for kind, operator in OPERATORS:
        if isinstance(node, kind):
            yield from operator(node)
    if isinstance(node, cst.Raise):
        yield cst.Pass()
    if isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
        name = _called(node.value)
        if name not in CHARGES:
            yield cst.Pass()
    tested = isinstance(parent, cst.If | cst.While) and node is parent.test
    if isinstance(node, cst.BaseExpression) and (tested or isinstance(node, cst.Comparison)):
        negated = cst.UnaryOperation(cst.Not(), _bracketed(node))
        yield negated.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _bracketed(node: cst.BaseExpression) -> cst.BaseExpression:
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _called(node: cst.Call) -> str:
    function = node.func
    if isinstance(function, cst.Attribute):
        return function.attr.value
    return function.value if isinstance(function, cst.Name) else ""


def _is_words(node: cst.CSTNode, parents: Any) -> bool:
    """Whether the place is a type, a message, an amount of work, or the `strict` of a zip."""
    child: cst.CSTNode = node
    while not isinstance(child, cst.Module):
        parent = parents[child]
        if isinstance(child, cst.Annotation | cst.Decorator | cst.FormattedString):
            return True
        if isinstance(child, cst.FunctionDef) and child.name.value in WORK:
            return True
        if isinstance(child, cst.Arg) and child.keyword and child.keyword.value == "strict":
            return True
        target = child.target if isinstance(child, cst.AugAssign) else None
        if isinstance(target, cst.Name) and target.value in ("text", "words"):
            return True
        if isinstance(parent, cst.Call):
            name = _called(parent)
            if child is not parent.func:
                index = parent.args.index(child) if child in parent.args else -1
                if name in WORDS or name in CHARGES:
                    return True
                if (name == "require" and index > 1) or (name == "equal" and index == 1):
                    return True
        child = parent
    return False


def _function(node: cst.CSTNode, parents: Any) -> str:
    names: list[str] = []
    while not isinstance(node, cst.Module):
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            names.append(node.name.value)
        node = parents[node]
    return ".".join(reversed(names))


def _difference(old: str, new: str) -> tuple[str, str, int]:
    """The changed lines, before and after, and the number of the first."""
    a, b = old.splitlines(), new.splitlines()
    head = next(k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)
    tail = next(k for k, (x, y) in enumerate(zip(a[::-1], b[::-1], strict=False)) if x != y)
    tail = min(tail, len(a) - head - 1, len(b) - head - 1)
    return "\n".join(a[head : len(a) - tail]), "\n".join(b[head : len(b) - tail]), head + 1


# --- running ---------------------------------------------------------------------------------


class Runner:
    """A pytest plugin that collects the tests once and forks for every mutant."""

    def __init__(
        self,
        modules: list[str],
        chosen: list[Mutant],
        seconds: float,
        patience: float,
        report: Callable[[str], None],
    ) -> None:
        self.chosen, self.seconds, self.report = chosen, seconds, report
        self.patience = patience
        self.kills = Counter[str]()
        base = ROOT / PACKAGE.replace(".", "/")
        self.files = {module: str(base / f"{module}.py") for module in modules}
        self.named = {path for module in modules for path in named_tests(module)}
        self.outcomes: list[tuple[Mutant, str]] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """In place of running the tests: the baseline, then every mutant."""
        if session.testsfailed:
            raise RuntimeError("the tests cannot be collected")
        gc.collect()
        gc.freeze()
        items = sorted(session.items, key=self._nearness)
        baseline = _in_child(lambda: self._baseline(items), 3600)
        if not isinstance(baseline, dict):
            raise RuntimeError(f"the tests fail without any change: {baseline}")
        seconds, covers = baseline["seconds"], baseline["lines"]
        end = time.perf_counter() + self.seconds
        for mutant in self.chosen:
            if time.perf_counter() > end:
                break
            first, last = mutant.lines
            lines = covers[mutant.module]
            wanted = {name for k in range(first, last + 1) for name in lines.get(k, ())}
            reached = bool(wanted - {""})
            if not reached or "" in wanted:  # also defaults and constants, which run at import
                wanted = set(seconds)
            order = sorted(
                (i for i in items if i.nodeid in wanted and i.nodeid in seconds),
                key=lambda i: (
                    0 if reached else self._nearness(i),
                    seconds[i.nodeid] / (1 + 10 * self.kills[i.nodeid]),
                ),
            )
            shown, total, most = [], 0.0, self.patience if reached else PATIENT
            for item in order:
                total += seconds[item.nodeid]
                if shown and total > most:
                    break
                shown.append(item)
            outcome = _in_child(lambda m=mutant, s=shown: _run(m, s), 5 + 4 * min(total, most))
            alive = "survived" if reached else "not reached"
            word = alive if outcome is None else str(outcome)
            self.outcomes.append((mutant, word))
            self.kills[word] += 1
            if outcome is None:
                self.report(f"    {self.outcomes[-1][1]}: {mutant}")
        return True

    def _nearness(self, item: pytest.Item) -> int:
        """0 for a test of the modules by themselves, 1 of their kind, 2 of much of the checker."""
        stems = [module.split("/")[-1] for module in self.files]
        if item.path.name in [f"test_mutants_{stem}.py" for stem in stems]:
            return 0
        kinds = [stem.replace("_", "-") for stem in stems]
        if item.path.name == ALONE.name:
            return 1 if any(f"[{kind}-" in item.nodeid for kind in kinds) else 2
        return 1 if str(item.path.relative_to(ROOT)) in self.named else 2

    def _baseline(self, items: list[pytest.Item]) -> dict[str, Any] | str:
        """CPU seconds of each test, and the tests that run over each line of each module."""
        coverage = Coverage(data_file=None, include=list(self.files.values()))
        seconds: dict[str, float] = {}
        begin = time.process_time()
        coverage.start()
        for item in items:
            coverage.switch_context(item.nodeid)
            start = time.process_time()
            left = BASELINE * len(self.files) - (start - begin)
            if left <= 0:
                break
            with _stopped_after(min(LONGEST, left)) as stopped:
                passes = _passes(item)
            if stopped:
                continue
            if not passes and not _passes(item):  # once more: a test cut short may disturb the next
                return item.nodeid
            seconds[item.nodeid] = time.process_time() - start
        coverage.stop()
        data = coverage.get_data()
        lines = {module: data.contexts_by_lineno(file) for module, file in self.files.items()}
        return {"seconds": seconds, "lines": lines}


class _TooLong(BaseException):
    """A test of the baseline took longer than LONGEST."""


@contextlib.contextmanager
def _stopped_after(seconds: float) -> Iterator[list[int]]:
    """Stop what runs inside after this much CPU time; the list is then not empty."""
    stopped: list[int] = []

    def stop(number: int, frame: Any) -> None:
        stopped.append(number)
        raise _TooLong

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield stopped
    except _TooLong:
        pass
    except Exception:  # of what was cut short, a report for example
        if not stopped:
            raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _run(mutant: Mutant, items: list[pytest.Item]) -> str | None:
    """The test that kills the mutant; None if none does."""
    try:
        _put_in_place(mutant)
    except Exception as error:
        return f"broken {type(error).__name__}"
    for item in items:
        if not _passes(item):
            return item.nodeid
    return None


def _passes(item: pytest.Item) -> bool:
    from _pytest.runner import runtestprotocol

    with contextlib.redirect_stdout(io.StringIO()):
        item._initrequest() if hasattr(item, "_initrequest") else None  # type: ignore[attr-defined]
        reports = runtestprotocol(item, log=False, nextitem=None)
    return not any(report.failed for report in reports)


def _put_in_place(mutant: Mutant) -> None:
    """Give the functions, defaults and constants of the loaded module those of the mutant."""
    name = f"{PACKAGE}.{mutant.module.replace('/', '.')}"
    module, fresh = sys.modules[name], ModuleType(name)
    fresh.__file__ = module.__file__
    sys.modules[name] = fresh  # dataclasses look their module up
    exec(compile(mutant.source, module.__file__ or "", "exec"), fresh.__dict__)
    sys.modules[name] = module
    loaded = [m for n, m in list(sys.modules.items()) if n.startswith(("proofs_checks", "tests"))]
    for path, new in _members(fresh):
        owner = vars(module)[path[0]] if len(path) == 2 else module
        old = vars(owner).get(path[-1])
        if isinstance(_plain(new), FunctionType) and isinstance(_plain(old), FunctionType):
            _plain(old).__code__ = _plain(new).__code__
            _plain(old).__defaults__ = _plain(new).__defaults__
        elif isinstance(old, int | str | Fraction | re.Pattern | tuple) and old != new:
            if len(path) == 2:
                setattr(owner, path[-1], new)
            for each in loaded if len(path) == 1 else []:
                if vars(each).get(path[0]) is old:
                    setattr(each, path[0], new)
        elif is_dataclass(old) and not isinstance(old, type) and asdict(old) != asdict(new):
            for key, value in asdict(new).items():
                object.__setattr__(old, key, value)
    for each in loaded:
        for value in vars(each).values():
            if isinstance(value, _lru_cache_wrapper):
                value.cache_clear()


def _members(module: ModuleType) -> Iterator[tuple[tuple[str, ...], Any]]:
    """What a module and its own classes define."""
    for name, value in list(vars(module).items()):
        if isinstance(value, type) and value.__module__ == module.__name__:
            for key, held in list(vars(value).items()):
                yield (name, key), held
        elif not name.startswith("__"):
            own = getattr(value, "__module__", module.__name__) == module.__name__
            if own or not callable(value):
                yield (name,), value


def _plain(value: Any) -> Any:
    """The function inside a property or a cache."""
    return getattr(value, "__wrapped__", getattr(value, "fget", value))


def _in_child(work: Callable[[], Any], seconds: float) -> Any:
    """What `work` returns in a forked process with a limit of CPU time; words if it was killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        try:
            result = work()
        except BaseException as error:
            result = f"ended by {type(error).__name__}"
        with os.fdopen(writing, "wb") as file:
            pickle.dump(result, file)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        data = file.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return f"killed by {signal.Signals(os.WTERMSIG(status)).name}"
    return pickle.loads(data)  # what this program itself wrote


def named_tests(module: str) -> set[str]:
    """The test files named after this module or its domain, and those that OWN_TESTS gives it."""
    table: dict[str, list[str]] = tomllib.loads(OWN_TESTS.read_text())
    stem = module.split("/")[-1]
    found = {f"tests/checker/test_{stem}.py", f"tests/mutation/test_forgeries_{stem}.py"}
    found |= {str(path.relative_to(ROOT)) for path in TESTS.rglob(f"test_mutants_{stem}.py")}
    if module.startswith("kinds/"):
        domain = {"rank": "ranks"}.get(stem.split("_")[0], stem.split("_")[0])
        found.add(f"tests/checker/test_mutants_{domain}.py")
    return {path for path in found if (ROOT / path).is_file()} | set(table.get(module, []))


def tests_of(module: str) -> list[str]:
    """The test files that a mutant of this module is shown."""
    kinds = [ALONE, TESTS / "checker" / "test_mutants_kinds.py"]
    general = kinds if module.startswith("kinds/") else []
    return sorted(named_tests(module) | {str(path.relative_to(ROOT)) for path in general})


def equivalent() -> dict[tuple[str, str, str, str], str]:
    """The mutants that nothing can tell from the original, with the reason."""
    rows = tomllib.loads(EQUIVALENT.read_text()).get("mutant", [])
    return {(r["module"], r["function"], r["before"], r["after"]): r["reason"] for r in rows}


def _survivors(log: Path) -> set[tuple[str, ...]]:
    """The keys of the mutants whose last outcome in the log is that they live."""
    last: dict[tuple[str, ...], str] = {}
    for line in log.read_text().splitlines():
        row = json.loads(line)
        last[tuple(row[:4])] = row[-1]
    return {key for key, outcome in last.items() if outcome in ("survived", "not reached")}


def modules() -> list[str]:
    """Every module of the checker that holds code, the reader and the kernel first."""
    base = ROOT / PACKAGE.replace(".", "/")
    names = [str(path.relative_to(base).with_suffix("")) for path in sorted(base.rglob("*.py"))]
    names = [name for name in names if not name.endswith(("__init__", "__main__"))]
    return sorted(names, key=lambda name: ("/" in name and name.split("/")[0] != "kernel", name))


def examine(
    modules: list[str], every: int, seconds: float, log: Path | None, again: bool
) -> dict[str, Counter[str]]:
    """Run the mutants of the modules and print what survives; the counts of each."""
    known, left = equivalent(), _survivors(log) if again and log else None
    counts: dict[str, Counter[str]] = {module: Counter() for module in modules}
    chosen: list[Mutant] = []
    for module in modules:
        made = list(mutants(module))[::every]
        made = [mutant for mutant in made if left is None or mutant.key() in left]
        chosen += (some := [mutant for mutant in made if mutant.key() not in known])
        counts[module]["equivalent"] = len(made) - len(some)
        counts[module]["not run"] = len(some)
    if seconds < float("inf"):
        random.Random(0).shuffle(chosen)
    tests = sorted({path for module in modules for path in tests_of(module)})

    def report(text: str) -> None:
        os.write(stdout, f"{text}\n".encode())

    stdout = os.dup(1)
    start = time.perf_counter()
    report(f"{', '.join(modules)}: {len(chosen)} mutants, {len(tests)} test files")
    runner = Runner(modules, chosen, seconds, PATIENT if again else SECONDS, report)
    settings.register_profile(
        "mutants",
        max_examples=30,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
    )
    settings.load_profile("mutants")
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not coq", *tests]
    pytest.main(options, plugins=[runner])
    for mutant, outcome in runner.outcomes:
        alive = outcome in ("survived", "not reached")
        counts[mutant.module][outcome if alive else "killed"] += 1
        counts[mutant.module]["not run"] -= 1
        if log:
            with log.open("a") as file:
                print(json.dumps([*mutant.key(), mutant.lines[0], outcome]), file=file)
    for module, count in counts.items():
        total = sum(count.values()) - count["equivalent"] - count["not run"]
        share = 100 * count["killed"] / total if total else 100.0
        words = ", ".join(f"{each} {name}" for name, each in sorted(count.items()) if each)
        report(f"{module}: {share:.1f} % ({words})")
    report(f"{time.perf_counter() - start:.0f} s")
    os.close(stdout)
    return counts


def main(arguments: list[str]) -> int:
    """Examine the named modules, or all; 1 if a mutant survives that no reason excuses."""
    every, seconds, log, again, names = 1, float("inf"), None, False, []
    for argument in arguments:
        if argument.startswith("--every="):
            every = int(argument.partition("=")[2])
        elif argument.startswith("--seconds="):
            seconds = float(argument.partition("=")[2])
        elif argument.startswith("--log="):
            log = Path(argument.partition("=")[2])
        elif argument == "--again":
            again = True
        else:
            names.append(argument)
    importlib.import_module("certify.kinds")
    total: Counter[str] = Counter()
    for name in names or modules():
        # each in a process of its own: pytest must collect with nothing changed
        for result in _in_own_process(name.split(","), every, seconds, log, again).values():
            total += result
    print(dict(total))
    return int(total["survived"] + total["not reached"] + total["not run"] > 0)


def _in_own_process(
    modules: list[str], every: int, seconds: float, log: Path | None, again: bool
) -> dict[str, Counter[str]]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        result = examine(modules, every, seconds, log, again)
        with os.fdopen(writing, "wb") as file:
            pickle.dump(result, file)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        data = file.read()
    os.waitpid(child, 0)
    if not data:
        return {module: Counter({"not run": 1}) for module in modules}
    counts: dict[str, Counter[str]] = pickle.loads(data)  # what this program itself wrote
    return counts


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
