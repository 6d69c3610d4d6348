#!/bin/bash
# evolution.sh CALENDAR_URL USER PASSWORD ROOM: Evolution's own CalDAV backend (evolution-data-server), without a screen.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export HOME=$4/evolution LC_ALL=C.UTF-8
export XDG_RUNTIME_DIR=$HOME/run XDG_DATA_HOME=$HOME/data XDG_CONFIG_HOME=$HOME/config XDG_CACHE_HOME=$HOME/cache
mkdir -p "$HOME" && mkdir -m 700 "$XDG_RUNTIME_DIR"
timeout 240 dbus-run-session -- /usr/bin/python3 "$here/evolution.py" "$1" "$2" "$3" 2>"$HOME/errors" || { tail -20 "$HOME/errors"; exit 1; }
echo done
