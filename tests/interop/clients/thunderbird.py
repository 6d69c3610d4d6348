#!/usr/bin/python3
"""thunderbird.py GATEWAY CALENDAR_PATH USER PASSWORD ROOM TITLE...: a headless Thunderbird with one CalDAV calendar.

Ends when the calendar's cache holds events with all of the titles. nginx stands before the gateway and adds the login,
since nobody is there to type it.
"""
import base64
import pathlib
import shutil
import socket
import sqlite3
import subprocess
import sys
import time

gateway, path, user, password, room = sys.argv[1:6]
titles = set(sys.argv[6:])
room = pathlib.Path(room) / "thunderbird"
patience_s = 240

room.mkdir(parents=True)
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
login = base64.b64encode(f"{user}:{password}".encode()).decode()
(room / "nginx.conf").write_text(f"""
daemon off; pid {room}/nginx.pid; error_log {room}/nginx.log; worker_processes 1;
events {{ worker_connections 64; }}
http {{
  access_log {room}/access.log;
  client_body_temp_path {room}/body; proxy_temp_path {room}/proxy; fastcgi_temp_path {room}/f; uwsgi_temp_path {room}/u; scgi_temp_path {room}/s;
  server {{
    listen 127.0.0.1:{port};
    location / {{ proxy_pass http://{gateway}; proxy_set_header Host $http_host; proxy_set_header Authorization "Basic {login}"; }}
  }}
}}
""")
calendar = "11111111-2222-3333-4444-555555555555"
settings = {
    f"calendar.registry.{calendar}.type": "caldav",
    f"calendar.registry.{calendar}.uri": f"http://127.0.0.1:{port}{path}",
    f"calendar.registry.{calendar}.name": "office",
    f"calendar.registry.{calendar}.username": user,
    f"calendar.registry.{calendar}.cache.enabled": True,
    f"calendar.registry.{calendar}.calendar-main-in-composite": True,
    f"calendar.registry.{calendar}.refreshInterval": "1",
    "calendar.list.sortOrder": calendar,
    "mail.provider.suppress_dialog_on_startup": True,
    "mail.spotlight.firstRunDone": True,
    "mailnews.start_page.enabled": False,
    "app.update.enabled": False,
    "app.donation.eoy.version.viewed": 999,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.enabled": False,
    "network.proxy.type": 0,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
}


def text_of(value):
    return str(value).lower() if isinstance(value, bool) else value if isinstance(value, int) else f'"{value}"'


(room / "user.js").write_text("".join(f'user_pref("{name}", {text_of(value)});\n' for name, value in settings.items()))


def cached_titles():
    found = set()
    # Thunderbird keeps its databases locked: copies are read, with what is still in their journals.
    copies = room / "copies"
    shutil.rmtree(copies, ignore_errors=True)
    copies.mkdir()
    for file in (room / "calendar-data").glob("*"):
        try:
            shutil.copy(file, copies)
        except OSError:
            pass  # gone meanwhile
    for file in copies.glob("*.sqlite"):
        try:
            with sqlite3.connect(file) as database:
                found |= {row[0] for row in database.execute("select title from cal_events")}
        except sqlite3.Error:
            pass  # not whole yet
    return found


proxy = subprocess.Popen(["/usr/sbin/nginx", "-c", str(room / "nginx.conf"), "-p", str(room)])
client = subprocess.Popen(["thunderbird", "--headless", "--no-remote", "--profile", str(room)],
                          env={"HOME": str(room), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
                          stdout=open(room / "said", "w"), stderr=subprocess.STDOUT)
try:
    until = time.monotonic() + patience_s
    while not titles <= cached_titles():
        if time.monotonic() > until or client.poll() is not None:
            print("failed: Thunderbird has", cached_titles(), "and not", titles)
            print((room / "access.log").read_text()[-3000:])
            sys.exit(1)
        time.sleep(0.1)
finally:
    for process in (client, proxy):
        if process.poll() is None:
            process.terminate()
            process.wait()
print("done")
