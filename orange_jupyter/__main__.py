"""`python -m orange_jupyter` and `orange-jupyter`: parse, run, print, exit status (R-HL-2)."""

from __future__ import annotations

import asyncio
import json
import sys

from orange_jupyter.core.errors import OrangeError, ToolError, UsageError


def main(words: list[str] | None = None) -> int:
    """Run the command line. 0 done, 1 failed or refused, 2 wrong usage, 130 interrupted."""
    words = sys.argv[1:] if words is None else words
    as_json = "--json" in words
    try:
        from orange_jupyter.cli.parser import parser
        from orange_jupyter.cli.run import run

        printed = asyncio.run(run(parser().parse_args(words)))
    except UsageError as error:
        return _failed(error, str(error.code), as_json, status=2)
    except ToolError as error:
        return _failed(error, str(error.code), as_json, status=1)
    except OrangeError as error:
        return _failed(error, "internal", as_json, status=1)
    except KeyboardInterrupt:
        return _failed(OrangeError("Interrupted."), "cancelled", as_json, status=130)
    text = json.dumps(printed.document, ensure_ascii=False) if as_json else printed.text
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace") + b"\n")
    sys.stdout.flush()
    return 0 if printed.ok else 1


def _failed(error: OrangeError, code: str, as_json: bool, *, status: int) -> int:
    if as_json:
        about = {"code": code, "message": error.message} | ({"hint": error.hint} if error.hint else {})
        sys.stdout.write(json.dumps({"ok": False, "error": about}, ensure_ascii=False) + "\n")
    else:
        sys.stderr.write(error.message + (f"\n{error.hint}" if error.hint else "") + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
