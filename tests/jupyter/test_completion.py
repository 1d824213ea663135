"""Tab after `%orange` and `%%orange`: the words that exist, and nothing of Python's (R-NB-2, R-NB-3)."""

from __future__ import annotations

import subprocess
import sys

import pytest

from orange_jupyter.commands import BY_THE_NOTEBOOK, COMMANDS
from orange_jupyter.jupyter.completion import SUBCOMMANDS, completions
from orange_jupyter.jupyter.options import OPTIONS
from orange_jupyter.jupyter.ports import Candidates

NAMES = Candidates(knowledge_bases=("笔记", "field notes"), models=("qwen",), variables=("df", "数据"))
IN_A_SHELL = """
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.completer import provisionalcompleter
from orange_jupyter.jupyter.completion import Matcher
shell = InteractiveShell.instance()
Matcher(shell, lambda: None).install()
shell.user_ns.update(df=1, 数据=2, _private=3)
for line in ("%orange kb select ", "%orange kb select pri", "%orange frob ", "%%orange --var ", "%orange st", "pri"):
    with provisionalcompleter():
        print(sorted(one.text for one in shell.Completer.completions(line, len(line))))
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
        ("%orange kb select ", ("笔记", '"field notes"')),
        ("%orange model use q", ("qwen",)),
        ("%orange d", ("doctor",)),
        ("%%orange --kb 笔", ("笔记",)),
        ("%%orange --var ", ("df", "数据")),
        ("%%orange --var df 数", ("数据",)),
        ("%orange frob ", ()),
    ],
)
def test_values_complete_where_they_stand(line: str, words: tuple[str, ...]) -> None:
    assert completions(line, tuple(OPTIONS), NAMES) == words


def test_python_s_names_are_never_offered_on_our_lines() -> None:
    """R-NB-2: before the first turn no name is known; then nothing completes instead of `print` and files."""
    ran = subprocess.run([sys.executable, "-c", IN_A_SHELL], capture_output=True, text=True, timeout=60, check=True)
    nothing, begun, unknown, variables, ours, python = ran.stdout.splitlines()
    assert nothing == unknown == "['']"
    assert begun == "['pri']"
    assert variables == "['df', '数据']"
    assert ours == "['status', 'stop']"
    assert "'print'" in python
