#!/bin/sh
# Installs Debian's PostgreSQL for the tests, if it is missing and may be installed. It starts no server.
# Without it, the tests that need it are skipped with a reason.
if command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then exit 0; fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    mkdir -p /etc/postgresql-common
    [ -e /etc/postgresql-common/createcluster.conf ] || echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
    apt-get update -qq && apt-get install -qq -y --no-install-recommends postgresql >/dev/null && exit 0
fi
echo "There is no PostgreSQL here, so the tests that need it will be skipped." >&2
