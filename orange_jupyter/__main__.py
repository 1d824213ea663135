"""`python -m orange_jupyter` and `orange-jupyter`: parse, run, print, exit status (R-HL-2)."""

from __future__ import annotations

import asyncio
import json
import os
import sys

from orange_jupyter.core.errors import CommandLineError, OrangeError, UsageError
from orange_jupyter.core.pasted import like_keys, pasted_keys, without_keys
from orange_jupyter.core.visible import for_terminal


def main(words: list[str] | None = None) -> int:
    """Run the command line. 0 done, 1 failed or refused, 2 wrong usage, 130 interrupted."""
    words = sys.argv[1:] if words is None else words
    as_json = "--json" in words
    try:
        _refuse_pasted(words)
        from orange_jupyter.cli.parser import parser
        from orange_jupyter.cli.run import run

        printed = asyncio.run(run(parser().parse_args(words)))
    except OrangeError as error:
        keys = like_keys(words)
        hint = without_keys(error.hint, keys) if error.hint else None
        shown = OrangeError(without_keys(error.message, keys), hint=hint)
        return _failed(shown, str(error.code), as_json, status=2 if isinstance(error, CommandLineError) else 1)
    except KeyboardInterrupt:
        return _failed(OrangeError("Interrupted."), "cancelled", as_json, status=130)
    text = json.dumps(printed.document, ensure_ascii=False) if as_json else for_terminal(printed.text)
    return _print(text, 0 if printed.ok else 1)


def _refuse_pasted(words: list[str]) -> None:
    """A key after `model key` is not used and not repeated, whatever its shape (S03). Raises UsageError."""
    if words[:2] == ["model", "key"] and pasted_keys(words):
        hint = "orange-jupyter model key NAME asks for it, hidden. If others see this terminal, replace the key."
        raise UsageError("A key stands in this line; it was not used and not kept.", hint=hint)


def _failed(error: OrangeError, code: str, as_json: bool, *, status: int) -> int:
    if not as_json:
        sys.stderr.write(for_terminal(error.message + (f"\n{error.hint}" if error.hint else "")) + "\n")
        return status
    about = {"code": code, "message": error.message} | ({"hint": error.hint} if error.hint else {})
    return _print(json.dumps({"ok": False, "error": about}, ensure_ascii=False), status)


def _print(text: str, status: int) -> int:
    """Print on standard output, whatever its encoding; 1 where nobody takes it (a closed pipe, a full disk)."""
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace") + b"\n")
        sys.stdout.flush()
    except OSError:
        # What is left in the buffer must not raise again when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
