#!/bin/sh
# Sees to a browser for the tests: Debian's Chromium, where it is missing and may be installed.
# Without one the tests that need it are skipped and say so.
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null; then exit 0; fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium >/dev/null && exit 0
fi
echo "There is no Chromium here, so the browser tests will be skipped." >&2
