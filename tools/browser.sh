#!/bin/sh
# Sees to a browser for the tests: Debian's Chromium, where it is missing and may be installed, and rather the one
# without windows, which has a fifth less to do for each page. Without any the tests that need it are skipped and say so.
if command -v chromium-headless-shell >/dev/null; then exit 0; fi
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null; then found=$name; fi
done
install() { apt-get install -qq -y --no-install-recommends --no-remove "$@" >/dev/null; }
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    if [ -n "${found-}" ]; then
        install chromium-headless-shell 2>/dev/null
        exit 0
    fi
    apt-get update -qq && { install chromium-headless-shell 2>/dev/null || install chromium; } && exit 0
fi
if [ -n "${found-}" ]; then exit 0; fi
echo "There is no Chromium here, so the browser tests will be skipped." >&2
