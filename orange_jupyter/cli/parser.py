"""What may stand on the command line; a wrong word is a CommandLineError, status 2."""

from __future__ import annotations

import argparse
from typing import NoReturn

from orange_jupyter import __version__
from orange_jupyter.core.errors import CommandLineError
from orange_jupyter.core.grant import Tier

MODEL_OPTIONS = (
    ("--base-url", "URL", "such as http://127.0.0.1:11434/v1"),
    ("--model", "ID", "the server's name for it; default: NAME"),
    ("--key-env", "VAR", "the environment variable that holds the key"),
    ("--context", "N", "context window in tokens"),
    ("--max-output", "N", "longest reply in tokens"),
    ("--mode", "MODE", "native, or envelope where the model calls no tools by itself"),
    ("--script", "FILE", "the JSON file of a scripted model"),
    ("--gguf", "FILE", "a model file that a llama.cpp server is started for, in place of --base-url"),
)

DECISIONS = (
    ("show", "with their diffs; without ids all that wait"),
    ("apply", "write them to the disk; without ids all that wait"),
    ("reject", "drop them; without ids all that wait"),
    ("undo", "take applied ones back; without ids the last one"),
)


class Parser(argparse.ArgumentParser):
    """argparse that raises instead of exiting."""

    def error(self, message: str) -> NoReturn:
        """Raise CommandLineError with argparse's sentence."""
        raise CommandLineError(message, hint=f"{self.prog} --help")


def parser() -> Parser:
    """The whole grammar."""
    top = Parser(prog="orange-jupyter", description="Ask your own notes and documents.")
    top.add_argument("--version", action="version", version=__version__)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    _ask(commands)
    _tool(commands)
    _search(commands)
    _index(commands)
    _changes(commands)
    _session(commands)
    _model(commands)
    _kb(commands)
    doctor = commands.add_parser("doctor", help="checks of this installation")
    _run_options(doctor, bases=True)
    return top


Commands = argparse._SubParsersAction  # the public name of what add_subparsers returns does not exist


def _run_options(one: argparse.ArgumentParser, *, bases: bool = False, rights: bool = False) -> None:
    one.add_argument("--json", action="store_true", help="print one JSON document")
    if bases:
        one.add_argument("--kb", nargs="+", action="extend", default=[], metavar="DIR", help="folders of this run")
    if rights:
        one.add_argument("--tier", choices=[str(tier) for tier in Tier], help="for this run only")
        one.add_argument("--plan", action="store_true", help="plan mode, for this run only")
        one.add_argument("--session", metavar="NAME", help="a session by title or id")
        one.add_argument("--save-images", metavar="DIR", help="write the pictures that would go to the model")


def _ask(commands: Commands[Parser]) -> None:
    one = commands.add_parser("ask", help="ask a question")
    one.add_argument("text", metavar="TEXT", help="the question; - reads it from standard input")
    _run_options(one, bases=True, rights=True)
    one.add_argument("--model", metavar="M", help="for this run only")
    one.add_argument("--image", nargs="+", action="extend", default=[], metavar="P", help="pictures to show the model")


def _tool(commands: Commands[Parser]) -> None:
    one = commands.add_parser("tool", help="run one tool call and print its envelope")
    one.add_argument("name", metavar="NAME")
    one.add_argument("arguments", metavar="JSON", help="the arguments; - reads them from standard input")
    _run_options(one, bases=True, rights=True)
    one.add_argument("--yes", action="store_true", help="you approve this call")


def _search(commands: Commands[Parser]) -> None:
    one = commands.add_parser("search", help="search the knowledge bases")
    one.add_argument("query", metavar="QUERY")
    _run_options(one, bases=True)
    one.add_argument("--limit", type=int)
    one.add_argument("--tag", nargs="+", action="extend", default=[])
    one.add_argument("--type", nargs="+", action="extend", default=[], dest="types")
    one.add_argument("--path-prefix")
    one.add_argument("--after")
    one.add_argument("--before")


def _index(commands: Commands[Parser]) -> None:
    one = commands.add_parser("index", help="bring the index up to date")
    _run_options(one, bases=True)
    one.add_argument("--rebuild", action="store_true", help="from nothing")
    one.add_argument("--stats", action="store_true", help="figures of each knowledge base")


def _changes(commands: Commands[Parser]) -> None:
    verbs = _verbs(commands, "changes", "proposed changes: look at them and decide")
    one = verbs.add_parser("list", help="what was proposed, and how it stands")
    one.add_argument("--session", metavar="NAME", help="a session by title or id; default: that of `tool`")
    _run_options(one)
    for verb, about in DECISIONS:
        one = verbs.add_parser(verb, help=about)
        one.add_argument("ids", nargs="*", metavar="ID", help="ids that list gives")
        one.add_argument("--session", metavar="NAME", help="a session by title or id; default: that of `tool`")
        _run_options(one)


def _session(commands: Commands[Parser]) -> None:
    verbs = _verbs(commands, "session", "stored conversations")
    _run_options(verbs.add_parser("list"))
    for verb in ("show", "delete"):
        one = verbs.add_parser(verb)
        one.add_argument("session", metavar="NAME")
        _run_options(one)
    export = verbs.add_parser("export")
    export.add_argument("session", metavar="NAME")
    export.add_argument("--to", metavar="FILE", help="a new file; .json for JSON")
    _run_options(export)


def _model(commands: Commands[Parser]) -> None:
    verbs = _verbs(commands, "model", "models and their keys")
    _run_options(verbs.add_parser("list"))
    for verb in ("use", "key", "test"):
        one = verbs.add_parser(verb)
        one.add_argument("model", metavar="NAME")
        _run_options(one)
    add = verbs.add_parser("add")
    add.add_argument("model", metavar="NAME")
    add.add_argument("--provider", default="openai_compatible")
    for option, metavar, about in MODEL_OPTIONS:
        add.add_argument(option, dest=f"given_{option[2:].replace('-', '_')}", metavar=metavar, help=about)
    add.add_argument("--vision", action="store_true")
    _run_options(add)


def _kb(commands: Commands[Parser]) -> None:
    verbs = _verbs(commands, "kb", "registered knowledge bases")
    _run_options(verbs.add_parser("list"))
    add = verbs.add_parser("add")
    add.add_argument("path", metavar="DIR")
    add.add_argument("--name")
    add.add_argument("--encoding")
    _run_options(add)
    remove = verbs.add_parser("remove")
    remove.add_argument("base", metavar="NAME")
    _run_options(remove)


def _verbs(commands: Commands[Parser], name: str, about: str) -> Commands[Parser]:
    one = commands.add_parser(name, help=about)
    return one.add_subparsers(dest="verb", required=True, metavar="VERB", parser_class=Parser)
