"""Tab after `%orange` and `%%orange`: the words that exist, and nothing of Python's (R-NB-2, R-NB-3)."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from orange_jupyter.commands import BY_THE_NOTEBOOK, COMMANDS, changes, kb, model, session
from orange_jupyter.config import Provider
from orange_jupyter.jupyter.completion import LINE_OPTIONS, OPTION_VALUES, SUBCOMMANDS, completions
from orange_jupyter.jupyter.options import OPTIONS
from orange_jupyter.jupyter.ports import Candidates

NAMES = Candidates(
    knowledge_bases=("笔记", "field notes"),
    sessions=("melt", "融雪 2026"),
    models=("qwen", "embedded"),
    files=("melt.md", "图/站点 1.png", "papers/meng 2019.pdf"),
    variables=("df", "数据"),
    folders=(".", "notes", "field data"),
    changes=("op_a", "op_b"),
    applied=("op_done",),
)
IN_A_SHELL = """
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.completer import provisionalcompleter
from orange_jupyter.jupyter.completion import Matcher
shell = InteractiveShell.instance()
from types import SimpleNamespace as Some
from orange_jupyter.jupyter.ports import Candidates
known = Some(entrance=Some(candidates=lambda: Candidates(knowledge_bases=("field notes",))))
Matcher(shell, lambda: known).install()
shell.user_ns.update(df=1, 数据=2, _private=3)
for line in ("%orange model use ", "%orange model use pri", "%orange frob ", "%%orange --var ", "%orange st", '%orange kb select "field n', "%orange model add --prov", "pri"):
    with provisionalcompleter():
        found = list(shell.Completer.completions(line, len(line)))
        print(sorted(line[: one.start] + one.text for one in found))
"""


def test_the_table_of_completion_is_the_table_of_commands() -> None:
    """R-NB-3: what completes can be run, and all that can be run completes."""
    assert set(SUBCOMMANDS) == {*COMMANDS, *BY_THE_NOTEBOOK}


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "tier" and SUBCOMMANDS[name]])
def test_the_verbs_that_complete_stand_in_the_usage(command: str) -> None:
    assert all(verb in COMMANDS[command].usage for verb in SUBCOMMANDS[command])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("%orange d", ("doctor",)),
        ("%orange frob ", ()),
        ("%orange kb select ", ("笔记", '"field notes"')),
        ("%orange kb select 笔记 ", ('"field notes"',)),
        ('%orange kb select "field n', ('"field notes"',)),
        ("%orange kb select FIELD", ('"field notes"',)),
        ("%orange kb rename 笔记 ", ()),
        ("%orange kb add ", (".", "notes", '"field data"', "--name", "--encoding")),
        ("%orange kb add notes --", ("--name", "--encoding")),
        ("%orange kb add notes --encoding g", ("gb18030",)),
        ("%orange kb add --name x no", ("notes",)),
        ("%orange kb scan ", ("rebuild",)),
        ("%orange model use q", ("qwen",)),
        ("%orange model test ", ("qwen", "embedded")),
        ("%orange model add x --provider a", ("anthropic",)),
        ("%orange model add x --vision --mode ", ("native", "envelope")),
        ("%orange session use ", ("melt", '"融雪 2026"')),
        ("%orange session rename ", ()),
        ("%orange session export melt --", ("--to",)),
        ("%orange changes ", changes.VERBS),
        ("%orange changes apply ", ("op_a", "op_b")),
        ("%orange changes reject op_a ", ("op_b",)),
        ("%orange changes show ", ("op_a", "op_b", "op_done")),
        ("%orange changes undo ", ("op_done",)),
        ("%orange undo ", ("op_done",)),
        ("%orange undo op_done ", ()),
        ("%orange show p", ('"papers/meng 2019.pdf"',)),
        ("%orange tier full", ("full-confirm", "full-auto")),
        ("%%orange --kb 笔", ("笔记",)),
        ("%%orange --kb=笔", ("笔记",)),
        ("%%orange --session ", ("melt", '"融雪 2026"')),
        ("%%orange --image ", ('"图/站点 1.png"',)),
        ("%%orange --tier ", ("workspace-readonly", "workspace-write")),
        ("%%orange --model qwen --st", ("--steps",)),
        ("%%orange --model qwen --plan --pl", ()),
        ("%%orange --var ", ("df", "数据")),
        ("%%orange --var df 数", ("数据",)),
    ],
)
def test_values_complete_where_they_stand(line: str, words: tuple[str, ...]) -> None:
    """R-NB-3: options, subcommands, knowledge bases, sessions, models, files, also half written in quotes."""
    assert completions(line, tuple(OPTIONS), NAMES).words == words


@pytest.mark.parametrize(
    ("line", "begun"),
    [('%orange kb select "field n', '"field n'), ("%%orange --kb=笔", "笔"), ("%orange st", "st"), ("%orange ", "")],
)
def test_what_is_replaced_is_the_word_with_its_quote(line: str, begun: str) -> None:
    assert completions(line, tuple(OPTIONS), NAMES).begun == begun


def test_the_options_of_lines_are_those_of_the_commands() -> None:
    """R-NB-3: what completes can be run."""
    assert LINE_OPTIONS["model", "add"] == model.OPTIONS
    assert set(OPTION_VALUES["--provider"]) == {*Provider} - {Provider.VIRTUAL}  # which is made in the settings
    for (command, _), options in LINE_OPTIONS.items():
        source = inspect.getsource({"kb": kb, "model": model, "session": session}[command])
        assert all(f'"{option}"' in source for option in options)


def test_python_s_names_are_never_offered_on_our_lines() -> None:
    """R-NB-2: before the first turn no name is known; then nothing completes instead of `print` and files."""
    ran = subprocess.run([sys.executable, "-c", IN_A_SHELL], capture_output=True, text=True, timeout=60, check=True)
    nothing, begun, unknown, variables, ours, quoted, option, python = ran.stdout.splitlines()
    assert nothing == "['%orange model use ']"
    assert unknown == "['%orange frob ']"
    assert begun == "['%orange model use pri']"
    assert variables == "['%%orange --var df', '%%orange --var 数据']"
    assert ours == "['%orange status', '%orange stop']"
    assert quoted == """['%orange kb select "field notes"']"""
    assert option == "['%orange model add --provider']"
    assert "'print'" in python
