"""Which variables a command gets: those of an allow list, and none that looks like a secret (R-EXEC-8)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from orange_jupyter.core.masking import FindSecrets

ALLOWED: Final = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "TZ", "TMPDIR", "TMP", "TEMP"),
        *("VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "CONDA_EXE", "CONDA_PYTHON_EXE", "CONDA_SHLVL"),
        *("PYENV_ROOT", "PYENV_VERSION", "PYTHONPATH", "LD_LIBRARY_PATH", "R_HOME", "R_LIBS_USER", "JULIA_DEPOT_PATH"),
        *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
    }
)
_ALLOWED_KINDS: Final = re.compile(r"LC_[A-Z]+")
_NEVER: Final = re.compile(r"BASH_ENV|ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|.*[=\0].*|")
"""Files and code that a shell would run first, and what is no name."""


def command_environment(environ: Mapping[str, str], added: Iterable[str], find: FindSecrets) -> dict[str, str]:
    """The variables that a command gets of those of this process; `added` are names that the person adds.

    A variable whose value looks like a secret is left out, an added one also when its name says so (`X_PWD=…`).
    """
    named = frozenset(added)
    return {
        name: value
        for name, value in environ.items()
        if (name in ALLOWED or name in named or _ALLOWED_KINDS.fullmatch(name))
        and not _NEVER.fullmatch(name)
        and not find(value)
        and not (name in named and find(f"{name}={value}"))
    }
