"""One file a tool; their order in `TOOLS` is the order in which people see them."""

from __future__ import annotations

from typing import Any

from orange_jupyter.core.tool import Tool
from orange_jupyter.tools.edit import EDIT
from orange_jupyter.tools.exec import EXEC, in_shell
from orange_jupyter.tools.list import LIST
from orange_jupyter.tools.read import READ
from orange_jupyter.tools.search import SEARCH
from orange_jupyter.tools.tool_result_read import TOOL_RESULT_READ
from orange_jupyter.tools.write import WRITE

TOOLS: tuple[Tool[Any], ...] = (SEARCH, READ, LIST, EDIT, WRITE, EXEC, TOOL_RESULT_READ)


def tools_for(shell: str) -> dict[str, Tool[Any]]:
    """The tools by name, as they are declared where commands run in `shell`."""
    return {tool.name: in_shell(shell) if tool is EXEC else tool for tool in TOOLS}
