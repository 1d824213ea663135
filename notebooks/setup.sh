#!/bin/sh
# Makes the virtual environment $1 and installs this project into it, editable, with what the tests need.
set -eu
venv=$1

suits() {
    "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

if [ -x "$venv/bin/python" ] && ! "$venv/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "$venv is of a Python older than 3.11 or broken. Delete the folder and run this again." >&2
    exit 1
fi

if [ ! -x "$venv/bin/python" ]; then
    found=
    for candidate in ${PYTHON:-} python3.13 python3.12 python3.11 python3; do
        if suits "$candidate"; then
            found=$candidate
            break
        fi
    done
    if [ -z "$found" ]; then
        echo "No Python 3.11 or newer with the venv module was found (looked for: ${PYTHON:-} python3.13 python3.12 python3.11 python3)." >&2
        echo "Install one, on Debian: apt-get install python3-venv, or name it: make setup PYTHON=/path/to/python" >&2
        exit 1
    fi
    echo "Making $venv with $("$found" --version) ..."
    "$found" -m venv "$venv"
fi

echo "Installing orange-jupyter and what it needs (a minute the first time) ..."
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable '.[lab,zh,dev]'
