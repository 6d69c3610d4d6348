#!/bin/bash
# vdirsyncer.sh URL USER PASSWORD ROOM: calendars and contacts both ways, a conflict, a fresh download; then khal and
# todoman add to the same calendars.
set -eu
url=$1 user=$2 password=$3 room=$4/vdir
run=$$  # another run on the same account has other UIDs
export LC_ALL=C.UTF-8 TZ=UTC HOME=$room
mkdir -p "$room"
cd "$room"

storage() { printf '[storage %s]\ntype = "%s"\n%s\n' "$1" "$2" "$3"; }
{
  printf '[general]\nstatus_path = "%s/status/"\n' "$room"
  printf '[pair cal]\na = "cal_local"\nb = "cal_remote"\ncollections = ["from b"]\nconflict_resolution = "b wins"\nmetadata = ["color", "displayname"]\n'
  storage cal_local filesystem "path = \"$room/cal/\"
fileext = \".ics\""
  storage cal_remote caldav "url = \"$url\"
username = \"$user\"
password = \"$password\""
  printf '[pair card]\na = "card_local"\nb = "card_remote"\ncollections = ["from b"]\nconflict_resolution = "b wins"\n'
  storage card_local filesystem "path = \"$room/card/\"
fileext = \".vcf\""
  storage card_remote carddav "url = \"$url\"
username = \"$user\"
password = \"$password\""
} > config
sync() { timeout 120 vdirsyncer -c config sync > "$1.log" 2>&1 || { cat "$1.log"; echo "failed: $1"; exit 1; }; echo "ok: $1"; }
expect() { [ "$2" = "$3" ] || { echo "failed: $1: $2, not $3"; exit 1; }; echo "ok: $1"; }

(yes || true) | timeout 120 vdirsyncer -c config discover > discover.log 2>&1 || { cat discover.log; echo "failed: discover"; exit 1; }
timeout 120 vdirsyncer -c config metasync > metasync.log 2>&1 || { cat metasync.log; echo "failed: metasync"; exit 1; }
sync first
calendar=$room/cal/default
[ -d "$calendar" ] || { ls -R cal; echo "failed: no calendar \"default\" was discovered"; exit 1; }
book=$(ls -d "$room"/card/*/ | head -1)

for i in 1 2 3; do
  printf 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\nBEGIN:VEVENT\r\nUID:vd-%s-%s@ex ample\r\nDTSTAMP:20260101T000000Z\r\nDTSTART;VALUE=DATE:2026010%s\r\nDTEND;VALUE=DATE:2026010%s\r\nSUMMARY:Grüße ☃ %s\r\nX-CUSTOM;X-P="a,b":keep me\\, exactly\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n' \
    $run $i $i $((i + 1)) $i > "$calendar/vd $run $i+ü@x.ics"
  printf 'BEGIN:VCARD\r\nVERSION:3.0\r\nUID:card-%s-%s\r\nFN:Friend %s\r\nN:%s;Friend;;;\r\nX-CUSTOM:kept\r\nEND:VCARD\r\n' $run $i $i $i > "$book/card $run $i.vcf"
done
cp -r cal cal.written
cp -r card card.written
sync "upload of three events and three contacts"
# An edit is another time in seconds for vdirsyncer's own bookkeeping.
sed -i 's/Grüße/Changed/' "$calendar/vd $run 1+ü@x.ics"
touch -d '+2 seconds' "$calendar/vd $run 1+ü@x.ics"
rm "$calendar/vd $run 2+ü@x.ics" "$book/card $run 2.vcf"
sync "an edit and two deletions"
mv cal cal.first && mv card card.first && mv status status.first
(yes || true) | timeout 120 vdirsyncer -c config discover > discover2.log 2>&1 || { cat discover2.log; exit 1; }
sync "a fresh download"
expect "two events came back" "$(grep -rl "UID:vd-$run-" cal | wc -l)" 2
expect "two contacts came back" "$(grep -rl "UID:card-$run-" card | wc -l)" 2
expect "unknown properties came back as they were" "$(grep -rl 'X-CUSTOM;X-P="a,b":keep me\\, exactly' cal | xargs -d '\n' grep -l "UID:vd-$run-" | wc -l)" 2
third=$(grep -rl "UID:vd-$run-3" cal)
cmp "$third" "cal.written/default/vd $run 3+ü@x.ics"
echo "ok: byte for byte"
sync "nothing to do"
expect "nothing was copied" "$(grep -cE 'Copying|Deleting' 'nothing to do.log' || true)" 0

# A conflict: the same event changed here and at the server; the server wins.
first=$(grep -rl "UID:vd-$run-1" cal)
home=/dav/calendars/$user/default/
for href in $(curl -sf -u "$user:$password" -X PROPFIND -H 'Depth: 1' "$url$home" | grep -o '/dav/calendars/[^<]*[^/<]<' | tr -d '<'); do
  curl -sf -u "$user:$password" "$url$href" | grep -q "UID:vd-$run-1" && break
done
sed 's/Changed/There/' "$first" | curl -sf -u "$user:$password" -T - -H 'Content-Type: text/calendar' "$url$href"
sed -i 's/Changed/Here/' "$first"
touch -d '+4 seconds' "$first"
sync "a conflict"
expect "the server's version won" "$(grep -c 'SUMMARY:There' "$first")" 1

mkdir -p khal todo
cat > khal/config <<X
[calendars]
[[home]]
path = $calendar
[locale]
timeformat = %H:%M
dateformat = %Y-%m-%d
longdateformat = %Y-%m-%d
datetimeformat = %Y-%m-%d %H:%M
longdatetimeformat = %Y-%m-%d %H:%M
local_timezone = Europe/Berlin
default_timezone = Europe/Berlin
[sqlite]
path = $room/khal/db
X
cat > todo/config.py <<X
path = "$room/cal/*"
date_format = "%Y-%m-%d"
time_format = "%H:%M"
default_list = "default"
cache_path = "$room/todo/cache.sqlite3"
X
khal -c khal/config new -a home 2026-03-29 01:30 2026-03-29 03:30 "dst night $run" :: "across the jump"
khal -c khal/config new -a home -r weekly -u 2026-06-01 2026-04-06 09:00 10:00 "standup $run"
todoman --config todo/config.py new -l default -d 2026-04-02 "a todo $run" > /dev/null
sync "upload of what khal and todoman made"
mv cal cal.second && mv status status.second
(yes || true) | timeout 120 vdirsyncer -c config discover > discover3.log 2>&1 || { cat discover3.log; exit 1; }
sync "a second fresh download"
khal -c khal/config list 2026-03-29 2026-04-14 > listed
expect "khal shows the night of the change of time" "$(grep -c "dst night $run" listed)" 1
expect "khal shows the series" "$(grep -c "standup $run" listed)" 2
expect "todoman shows its task" "$(todoman --config todo/config.py list | grep -c "a todo $run")" 1
echo done
