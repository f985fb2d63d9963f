#!/bin/sh
# Installs a browser for the tests, if it is missing and may be installed: Debian's headless Chromium, which takes a
# fifth less time per page. `sh tools/browser.sh whole` adds full Chromium, the only one that shows notifications.
# Without a browser, the tests that need one are skipped with a reason.
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
