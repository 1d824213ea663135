"""The house rules that a machine can check: sizes, names, what may be called where, lists that name every file."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from orange_jupyter.core.codes import Code

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "orange_jupyter"
FILES = sorted(PACKAGE.rglob("*.py"))

MAX_FILE, MAX_CORE_FILE, MAX_FUNCTION, MAX_CLASS, MAX_PARAMETERS = 300, 200, 40, 200, 5
# "place" → the sentence that argues for the exception. A place is what a failing test prints before the colon.
EXCEPTIONS: dict[str, str] = {}

BANNED_WORDS = {"manager", "handler", "helper", "util", "utility", "utilitie", "service", "common"}
READS_ENVIRONMENT = frozenset({"config.py", "app.py", "__main__.py"})
NOT_IN_CORE = {
    *(
        "fcntl",
        "ftplib",
        "glob",
        "http",
        "httpx",
        "io",
        "mmap",
        "multiprocessing",
        "os",
        "pathlib",
        "random",
        "requests",
    ),
    *(
        "secrets",
        "select",
        "shutil",
        "signal",
        "socket",
        "sqlite3",
        "ssl",
        "subprocess",
        "sys",
        "tempfile",
        "threading",
    ),
    *("time", "urllib.request", "uuid", "asyncio.subprocess"),
}
NOT_CALLED_IN_CORE = {"open", "print", "input", "exec", "eval", "__import__"}
ASKS_THE_CLOCK = {"datetime.now", "datetime.utcnow", "datetime.today", "date.today"}
LISTS = {"tools": "TOOLS", "documents": "FORMATS", "providers": "PROVIDERS"}


def place(file: Path, node: ast.AST | None = None) -> str:
    name = file.relative_to(ROOT).as_posix()
    return f"{name}:{getattr(node, 'name', getattr(node, 'lineno', ''))}" if node else name


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"), filename=str(file))


def nodes(*kinds: type[ast.AST], files: list[Path] | None = None) -> Iterator[tuple[Path, ast.AST]]:
    for file in FILES if files is None else files:
        for node in ast.walk(tree(file)):
            if isinstance(node, kinds):
                yield file, node


def none_of(found: list[str]) -> None:
    """Fail with one line a place; places that EXCEPTIONS argues for are left out."""
    left = [line for line in found if line.split(": ")[0] not in EXCEPTIONS]
    assert not left, "\n" + "\n".join(left)


def imported(file: Path) -> set[str]:
    """Every module that a file names: imports, early or late; in strings, dotted names and a neighbour's own name."""
    names: set[str] = set()
    room = ".".join(file.relative_to(ROOT).parts[:-1])
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names |= set(re.findall(r"\borange_jupyter(?:\.\w+)+", node.value)) | {f"{room}.{node.value}"}
    return names


def module_of(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_files_functions_and_classes_stay_small() -> None:
    found = []
    for file in FILES:
        lines = file.read_text(encoding="utf-8").count("\n")
        limit = MAX_CORE_FILE if "core" in file.relative_to(PACKAGE).parts else MAX_FILE
        if lines > limit:
            found.append(f"{place(file)}: {lines} lines, at most {limit}")
    for file, node in nodes(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef):
        limit = MAX_CLASS if isinstance(node, ast.ClassDef) else MAX_FUNCTION
        lines = node.end_lineno - node.lineno + 1  # type: ignore[attr-defined]
        if lines > limit:
            found.append(f"{place(file, node)}: {lines} lines, at most {limit}")
    none_of(found)


def test_functions_take_at_most_five_parameters() -> None:
    found = []
    for file, node in nodes(ast.FunctionDef, ast.AsyncFunctionDef):
        spec = node.args  # type: ignore[attr-defined]
        names = [a.arg for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
        count = len(names) - (names[:1] in (["self"], ["cls"]))
        if count > MAX_PARAMETERS:
            found.append(f"{place(file, node)}: {count} parameters, at most {MAX_PARAMETERS}")
    none_of(found)


def test_names_are_words_of_the_domain() -> None:
    found = []
    named = [(place(file), file.stem) for file in FILES]
    named += [(place(f, n), n.name) for f, n in nodes(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)]  # type: ignore[attr-defined]
    for where, name in named:
        words = {word.lower().removesuffix("s") for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}
        if words & BANNED_WORDS or (where.endswith(f"/{name}.py") and name.startswith("base_")):
            found.append(f"{where}: {name} says nothing about what it is")
    none_of(found)


def _caught(node: ast.AST) -> set[str]:
    """Names that an except clause or a contextlib.suppress catches; "" for a bare except."""
    if isinstance(node, ast.ExceptHandler):
        if node.type is None:
            return {""}
        return {part.id for part in ast.walk(node.type) if isinstance(part, ast.Name)}
    if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "suppress":
        return {part.id for argument in node.args for part in ast.walk(argument) if isinstance(part, ast.Name)}
    return set()


def test_any_exception_is_caught_once_in_the_magic() -> None:
    blind = []
    for file, node in nodes(ast.ExceptHandler, ast.Call):
        caught = _caught(node)
        raises_again = isinstance(node, ast.ExceptHandler) and any(isinstance(n, ast.Raise) for n in ast.walk(node))
        if caught & {"", "Exception"} or ("BaseException" in caught and not raises_again):
            blind.append(f"{place(file, node)}: catches everything")
    in_the_magic = [line for line in blind if line.startswith("orange_jupyter/jupyter/magic")]
    assert len(in_the_magic) <= 1, in_the_magic
    none_of([line for line in blind if line not in in_the_magic])


def test_only_the_command_line_prints() -> None:
    calls = nodes(ast.Call)
    printing = [(f, n) for f, n in calls if isinstance(n.func, ast.Name) and n.func.id == "print"]  # type: ignore[attr-defined]
    none_of([f"{place(f, n)}: prints" for f, n in printing if f.name != "__main__.py"])


def test_the_environment_is_read_at_the_edge_only() -> None:
    found = []
    for file, node in nodes(ast.Attribute, ast.ImportFrom):
        if file.parent == PACKAGE and file.name in READS_ENVIRONMENT:
            continue
        if isinstance(node, ast.Attribute):
            used = isinstance(node.value, ast.Name) and node.value.id == "os" and node.attr in ("environ", "getenv")
        else:
            used = node.module == "os" and any(a.name in ("environ", "getenv") for a in node.names)  # type: ignore[attr-defined]
        if used:
            found.append(f"{place(file, node)}: reads the environment")
    none_of(found)


def test_the_core_asks_nothing_of_the_outside() -> None:
    core = sorted((PACKAGE / "core").rglob("*.py"))
    found = []
    for file in core:
        banned = {name for name in imported(file) if name in NOT_IN_CORE or name.split(".")[0] in NOT_IN_CORE}
        found += [f"{place(file)}: imports {name}" for name in sorted(banned)]
    for file, node in nodes(ast.Call, files=core):
        called = ast.unparse(node.func)  # type: ignore[attr-defined]
        if called in NOT_CALLED_IN_CORE or called.removeprefix("datetime.") in ASKS_THE_CLOCK:
            found.append(f"{place(file, node)}: calls {called}")
    none_of(found)


def test_the_import_rules_hold() -> None:
    program = Path(sys.executable).parent / "lint-imports"
    ran = subprocess.run([program, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("room", LISTS)
def test_every_file_of_a_room_is_named_by_its_list(room: str) -> None:
    """The list's file names a module, or a module so named does: nothing lies there that nobody can reach."""
    files = {module_of(file): file for file in (PACKAGE / room).rglob("*.py")}
    starts = [m for m, file in files.items() if re.search(rf"^{LISTS[room]}\b", file.read_text("utf-8"), re.MULTILINE)]
    assert starts, f"no file of {room}/ has the list {LISTS[room]}"
    left = unreached(files, [*starts, *used_outside(files)])
    none_of([f"{place(file)}: neither {LISTS[room]} nor another room leads to it" for file in left])


def test_every_widget_is_named_outside_the_widgets() -> None:
    files = {module_of(file): file for file in (PACKAGE / "jupyter" / "widgets").rglob("*.py")}
    none_of([f"{place(file)}: no view shows it" for file in unreached(files, used_outside(files))])


def used_outside(files: dict[str, Path]) -> list[str]:
    """Modules of `files` that a module elsewhere in the package names."""
    elsewhere = set(FILES) - set(files.values())
    return [name for file in elsewhere for name in imported(file) if name in files]


def unreached(files: dict[str, Path], starts: list[str]) -> list[Path]:
    """Files with code that no import leads to from `starts`."""
    left = set(files) - reach(starts, files)
    return [files[module] for module in sorted(left) if len(tree(files[module]).body) > 1]


def reach(starts: list[str], files: dict[str, Path]) -> set[str]:
    """The modules that can be reached from `starts` by imports, packages' own `__init__` included."""
    seen: set[str] = set()
    waiting = list(starts)
    while waiting:
        module = waiting.pop()
        if module in seen or module not in files:
            continue
        seen.add(module)
        waiting += [name for name in imported(files[module]) if name in files]
        waiting += [module.rsplit(".", 1)[0]]
    return seen


def grep(pattern: str, *paths: str) -> list[str]:
    """Lines of files that belong to the repository, committed or not yet, that match an extended expression."""
    command = ["git", "grep", "--untracked", "-nIE", pattern, "--", *(paths or (".",))]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 1), ran.stderr
    return ran.stdout.splitlines()


def test_no_file_names_a_machine_or_a_registry() -> None:
    # Brackets keep the expression from finding itself.
    found = grep(r"[/](work|farm)/|[/]root/|--(extra-)?[i]ndex-url|--[r]egistry[ =]|[/]simple/")
    assert not found, "\n".join(found)


def test_nothing_unfinished_or_mocked_is_left() -> None:
    found = grep(
        r"raise [N]otImplementedError|[T]ODO|[F]IXME|[X]XX|unittest[.]mock|Magic[M]ock", "orange_jupyter", "tests"
    )
    assert not found, "\n".join(found)


def test_only_the_fixtures_may_skip_a_test() -> None:
    found = grep(r"pytest[.](skip|xfail|importorskip)|mark[.](skip|xfail)", "tests", "benchmarks")
    elsewhere = [line for line in found if not line.startswith(("tests/conftest.py", "tests/lab_server.py"))]
    assert not elsewhere, "\n".join(elsewhere)


def test_every_exception_is_argued_and_needed() -> None:
    for where, reason in EXCEPTIONS.items():
        assert len(reason.split()) >= 5, f"{where}: say why in a sentence"
        assert (ROOT / where.split(":")[0]).is_file(), f"{where} is gone: take its exception away"


@pytest.mark.corpus
def test_the_error_codes_are_the_closed_list(specification: Path) -> None:
    """R-ALL-1, R-SCH-1: no code more and none less than the specification's table."""
    text = (specification / "12-schemas.md").read_text(encoding="utf-8")
    table = text.split("## Error codes (closed list)")[1].split("\n## ")[0]
    listed = {code for row in table.splitlines() if row.startswith("|") for code in re.findall(r"`(\w+)`", row)}
    assert {str(code) for code in Code} == listed


@pytest.mark.parametrize(
    ("source", "caught"),
    [
        ("try: f()\nexcept Exception: g()", True),
        ("try: f()\nexcept (OSError, Exception) as e: raise", True),
        ("try: f()\nexcept: g()", True),
        ("with suppress(Exception): f()", True),
        ("try: f()\nexcept OSError: g()", False),
    ],
)
def test_the_search_for_blind_excepts_can_find_one(source: str, caught: bool) -> None:
    names = set().union(*(_caught(node) or set() for node in ast.walk(ast.parse(source))))
    assert bool(names & {"", "Exception"}) is caught
