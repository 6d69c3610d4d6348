#!/bin/bash
# syncevolution.sh CALENDAR_URL USER PASSWORD ROOM: an event in, listed, and out again.
set -eu
url=$1 user=$2 password=$3
export HOME=$4/syncevolution LC_ALL=C.UTF-8
mkdir -p "$HOME"
cd "$HOME"
run() {
  timeout 120 syncevolution --daemon=no --sync-property "syncURL=$url" --sync-property "username=$user" \
    --sync-property "password=$password" "$@" backend=caldav "database=$url"
}
printf 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\nBEGIN:VEVENT\r\nUID:se-1\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260315T100000Z\r\nDTEND:20260315T110000Z\r\nSUMMARY:from syncevolution\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n' > in.ics
run --import in.ics
run --print-items
run --export - | tee out.ics
[ "$(grep -c 'SUMMARY:from syncevolution' out.ics)" = 1 ]
echo done
