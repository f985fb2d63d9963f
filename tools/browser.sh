#!/bin/sh
# Installs a browser for the tests, where it is missing and may be installed: Debian's Chromium without windows, which
# takes a fifth less time for each page. `sh tools/browser.sh whole` adds the one with windows, which alone shows
# notifications. Without any browser the tests that need one are skipped and say so.
has() { command -v "$1" >/dev/null; }
install() {
    [ "$(id -u)" = 0 ] && has apt-get || return 1
    apt-get install -qq -y --no-install-recommends --no-remove "$1" >/dev/null 2>&1 ||
        { apt-get update -qq && apt-get install -qq -y --no-install-recommends --no-remove "$1" >/dev/null; }
}
windows() { has chromium || has chromium-browser || has google-chrome; }

has chromium-headless-shell || install chromium-headless-shell 2>/dev/null
if [ "${1-}" = whole ] || ! has chromium-headless-shell; then
    windows || install chromium
fi
has chromium-headless-shell || windows || echo "There is no Chromium here, so the browser tests will be skipped." >&2
