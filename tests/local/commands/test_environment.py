"""R-EXEC-8: an allow list of variables, names that the person adds, and no secret even then."""

from __future__ import annotations

import os

from orange_jupyter.core.masking import Masker
from orange_jupyter.core.running import Command
from orange_jupyter.core.shapes import secret_spans
from orange_jupyter.local.commands.environment import command_environment
from orange_jupyter.local.commands.runner import LocalRunner, RunnerSettings

SECRETS = {
    "OPENAI_API_KEY": "sk-proj-abc123DEF456ghi789JKL012mno345PQR678",
    "ANTHROPIC_API_KEY": "sk-ant-api03-Zq8RtYw2LmN4pXc7VbK9sDf1",
    "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
    "AWS_SECRET_ACCESS_KEY": "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",
    "AWS_SESSION_TOKEN": "FwoGZXIvYXdzEBYaDHqa0APxYzT9",
    "GITHUB_TOKEN": "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "GITLAB_TOKEN": "glpat-Xy7ZpQ2rS9tUvWx3AbCd",
    "HF_TOKEN": "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",
    "MYSQL_PWD": "hunter2-mysql",
    "PGPASSWORD": "hunter2-postgres",
    "PGPASSFILE": "/home/reader/.pgpass-planted",
    "REDIS_PASSWORD": "r3d1s-pl4nted",
    "JPY_API_TOKEN": "0123456789abcdef0123456789abcdef",
    "JUPYTERHUB_API_TOKEN": "fedcba9876543210fedcba9876543210",
    "JUPYTER_TOKEN": "1a2b3c4d5e6f708192a3b4c5d6e7f809",
    "SSH_AUTH_SOCK": "/run/user/1000/planted-agent.1",
    "DATABASE_URL": "postgres://:pw4nted@host/db",
    "HTTPS_PROXY": "http://reader:pr0xyplanted@proxy.example:3128",
    "SLACK_BOT_TOKEN": "xoxb-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx",
    "INNOCENT": "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
}
PLAIN = {"HOME": "/home/reader", "LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8", "VIRTUAL_ENV": "/venv", "PROJECT": "trees"}
PLACES = {"PGPASSFILE", "SSH_AUTH_SOCK"}
"""Names of files: who adds them by name wants them."""


async def test_none_of_twenty_planted_secrets_is_visible(make_runner, folder, monkeypatch):
    """E08, S03: `env`, and the variables of every process above the command but the kernel's own."""
    for name, value in SECRETS.items():  # of this process too, which starts the host
        monkeypatch.setenv(name, value)
    planted = SECRETS | PLAIN | {"PATH": os.environ["PATH"]}
    ran = await make_runner(planted).run(Command(f"env; {ABOVE}", folder))
    assert len(SECRETS) == 20
    assert [name for name, value in SECRETS.items() if name in ran.stdout or value in ran.stdout] == []
    assert "HOME=/home/reader\n" in ran.stdout
    assert "above: 2" in ran.stdout


def test_an_added_name_is_passed_on_unless_it_holds_a_secret() -> None:
    """R-EXEC-8: also when the person names all twenty, only the two names of files go through."""
    passed = command_environment(SECRETS | PLAIN, [*SECRETS, "PROJECT"], secret_spans)
    assert passed == PLAIN | {name: SECRETS[name] for name in PLACES}
    assert "PROJECT" not in command_environment(PLAIN, (), secret_spans)


def test_a_configured_key_is_dropped_whatever_it_looks_like() -> None:
    """S03: an exact value that the person configured, in an allowed and in an added variable."""
    find = Masker(secrets=("plainwordkey",)).spans
    environ = {"LANG": "plainwordkey", "MINE": "x-plainwordkey", "HOME": "/home/reader"}
    assert command_environment(environ, ["MINE"], find) == {"HOME": "/home/reader"}


def test_what_a_shell_would_run_first_is_never_passed_on() -> None:
    """R-EXEC-3: start-up files, functions and options of a shell."""
    names = ("BASH_ENV", "ENV", "BASH_FUNC_ls%%", "SHELLOPTS", "PS4", "PROMPT_COMMAND", "", "A=B")
    assert command_environment(dict.fromkeys(names, "x"), names, secret_spans) == {}


def test_secrets_are_not_in_what_settings_look_like() -> None:
    assert "sk-ant" not in repr(RunnerSettings(SECRETS)) + repr(LocalRunner(RunnerSettings(SECRETS)))


ABOVE = """
above=0; pid=$PPID
while [ "$above" -lt 2 ]; do  # the supervisor and the host
    tr '\\0' '\\n' < /proc/$pid/environ; above=$((above + 1))
    pid=$(sed 's/.*) . //' /proc/$pid/stat | cut -d' ' -f1)
done
echo above: $above
"""
