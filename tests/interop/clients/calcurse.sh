#!/bin/bash
# calcurse.sh HOST:PORT USER PASSWORD ROOM: calcurse-caldav: first upload, a push, and a fresh download.
set -eu
host=$1 user=$2 password=$3 room=$4/calcurse
export LC_ALL=C.UTF-8 HOME=$room
mkdir -p "$room/data"
cd "$room"
cat > config <<X
[General]
Binary = calcurse
Hostname = $host
Path = dav/calendars/$user/default/
AuthMethod = basic
InsecureSSL = Yes
HTTPS = No
DryRun = No
Verbose = Yes
SyncFilter = cal,todo
[Auth]
Username = $user
Password = $password
X
sync() { timeout 120 calcurse-caldav --config config --datadir data --lockfile lock --syncdb sync.db "$@"; }
printf '[1] buy milk\n' > data/todo
printf '01/15/2026 @ 10:00 -> 01/15/2026 @ 11:00 |first\n01/16/2026 [1] a whole day\n' > data/apts
sync --init keep-local
printf '01/17/2026 @ 10:00 -> 01/17/2026 @ 11:00 |second\n' >> data/apts
sync
rm -rf data sync.db
mkdir data
sync --init keep-remote
cat data/apts data/todo
for text in first second 'a whole day'; do grep -q "$text" data/apts; done
grep -q 'buy milk' data/todo
echo done
