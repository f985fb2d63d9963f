#!/bin/sh
# Sets up .venv with Almunia, editable, and one extra: sh tools/environment.sh dev
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "Almunia needs Python 3.11 or newer. Name one: make PYTHON=python3.12 ..." >&2
    exit 1
fi

# Debian has the module venv in a separate package.
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update -qq && apt-get install -qq -y --no-install-recommends python3-venv
    else
        echo "This Python has no module venv. On Debian: apt-get install python3-venv" >&2
        exit 1
    fi
fi

[ -x .venv/bin/python ] || "$python" -m venv .venv
# The pip of Python 3.11 takes 20 s longer to choose versions.
.venv/bin/python -m pip install --quiet --disable-pip-version-check --upgrade pip
# Without compiling: Python compiles what is imported, on import.
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt --editable ".[$1]"
