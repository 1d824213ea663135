"""What the transformer rewrites and what it leaves alone, in a real shell."""

from __future__ import annotations

import atexit
from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell

from orange_jupyter.jupyter.transformer import Transformer


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    shell = InteractiveShell()
    transformer = Transformer(shell)
    transformer.install()
    yield shell
    transformer.remove()
    shell.atexit_operations()
    atexit.unregister(shell.atexit_operations)


def test_a_cell_becomes_one_await_with_its_body_raw(shell: InteractiveShell) -> None:
    """Decision 2: prompts, indents, magics, quotes and blank lines of a question stay what they are."""
    body = ">>> a prompt\n    indented '''quotes''' \"\"\"\n%time\n!ls {x} $y\n\n你好 \\n\n"
    code = shell.transform_cell("\n  \n%%orange --plan --kb '水文 资料'  \n" + body)
    assert (
        code
        == f"await get_ipython().run_cell_magic('orange_awaited', {chr(34)}--plan --kb '水文 资料'{chr(34)}, {body!r})\n"
    )


@pytest.mark.parametrize(
    "cell",
    [
        "%%orangeade\nx\n",
        "%%orange?\n",
        "x = 1\n%%orange\n",
        "%%time\n%%orange\nx\n",
        "s = '''\n%%orange\n'''\n",
        "orange\n",
    ],
)
def test_other_cells_are_left_to_ipython(shell: InteractiveShell, cell: str) -> None:
    """Traps: `%%orangeade`, help, a cell that only mentions us, `%%time` above."""
    assert "orange_awaited" not in shell.transform_cell(cell)


def test_an_empty_cell_still_reaches_us(shell: InteractiveShell) -> None:
    """`%%orange --help` has no body."""
    assert shell.transform_cell("%%orange --help") == (
        "await get_ipython().run_cell_magic('orange_awaited', '--help', '\\n')\n"
    )


def test_a_line_at_the_left_edge_awaits_and_an_indented_one_does_not(shell: InteractiveShell) -> None:
    """Inside a function an await would be wrong; a string stays a string."""
    code = shell.transform_cell(
        "%orange tier 'full-confirm'\nx = %orange usage\ndef f():\n    %orange stop\ntext = '''\n%orange wait\n'''\n"
    )
    lines = code.splitlines()
    assert lines[0] == "await get_ipython().run_line_magic('orange_awaited', \"tier 'full-confirm'\")"
    assert lines[1] == "x = get_ipython().run_line_magic('orange', 'usage')"
    assert lines[3] == "    get_ipython().run_line_magic('orange', 'stop')"
    assert lines[5] == "%orange wait"


def test_what_cannot_await_is_not_rewritten(shell: InteractiveShell) -> None:
    """Traps: `%autoawait off`, and a transformation while a cell runs, as `%%time` does it."""
    shell.autoawait = False
    assert "await " not in shell.transform_cell("%%orange\nx\n")
    assert "await " not in shell.transform_cell("%orange stop\n")
    shell.autoawait = True
    shell.events.trigger("pre_execute")
    assert "await " not in shell.transform_cell("%%orange\nx\n")
    shell.events.trigger("post_execute")
    assert "await " in shell.transform_cell("%%orange\nx\n")
