#!/usr/bin/python3
"""The groupware page in a headless Chromium: logs in, adds a task and ticks it off, uploads and downloads.

usage: page.py URL USER PASSWORD ROOM   (ROOM: a directory for files and the screenshot; prints one line a check)
"""
import pathlib
import sys
import urllib.request
import base64
from datetime import datetime, timedelta

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

url, user, password, room = sys.argv[1], sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4])
patience_s = 60

tomorrow = (datetime.now() + timedelta(days=1)).strftime("%Y%m%d")
calendar_file = room / "office.ics"
calendar_file.write_text(
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n"
    f"BEGIN:VEVENT\r\nUID:lunch\r\nDTSTAMP:20240101T000000Z\r\nDTSTART:{tomorrow}T120000\r\nDTEND:{tomorrow}T130000\r\n"
    "RRULE:FREQ=DAILY;COUNT=3\r\nSUMMARY:Lunch <b>with</b> Grüße\r\nX-KEPT:as it is\r\nEND:VEVENT\r\n"
    f"BEGIN:VEVENT\r\nUID:review\r\nDTSTAMP:20240101T000000Z\r\nDTSTART;VALUE=DATE:{tomorrow}\r\nSUMMARY:Review\r\nEND:VEVENT\r\n"
    "END:VCALENDAR\r\n", newline="")
card_file = room / "people.vcf"
card_file.write_text(
    "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:ada\r\nFN:Ada Lovelace\r\nN:Lovelace;Ada;;;\r\nEND:VCARD\r\n"
    "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Charles Babbage\r\nN:Babbage;Charles;;;\r\nEND:VCARD\r\n", newline="")

options = Options()
for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1000,1100",
             f"--user-data-dir={room / 'profile'}"):
    options.add_argument(flag)
options.add_experimental_option("prefs", {"download.default_directory": str(room), "download.prompt_for_download": False})
options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
# The page draws its lists anew whenever it has heard of something: what was found a moment ago may be gone.
wait = WebDriverWait(browser, patience_s, poll_frequency=0.05, ignored_exceptions=[StaleElementReferenceException])


def by(name):
    return browser.find_element(By.ID, name)


def until(what, condition):
    try:
        wait.until(lambda _: condition())
    except Exception:
        browser.save_screenshot(str(room / "page.png"))
        print(f"failed: {what}; the page says: {by('said').text!r} {by('trouble').text!r}")
        for line in browser.get_log("browser"):
            print("console:", line["message"])
        sys.exit(1)
    print("ok:", what)


def lines(name):
    return [each.text for each in browser.find_elements(By.CSS_SELECTOR, f"#{name} > *")]


def log_in(word):
    by("name").clear()
    by("name").send_keys(user)
    by("password").send_keys(word)
    browser.find_element(By.CSS_SELECTOR, "#login button").click()


def choose(select, text):
    def click():
        for option in by(select).find_elements(By.TAG_NAME, "option"):
            if text in option.text.lower():
                option.click()
                return True
        return False
    until(f"{select} has {text}", click)


def download(collection):
    def click():
        for row in browser.find_elements(By.CSS_SELECTOR, "#collections tr"):
            if collection in row.text:
                row.find_element(By.TAG_NAME, "button").click()
                return True
        return False
    until(f"{collection} can be downloaded", click)


def ask(path):
    request = urllib.request.Request(url + path)
    request.add_header("Authorization", "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode())
    return urllib.request.urlopen(request).read().decode()


try:
    browser.get(url + "/")
    log_in("wrong")
    until("a wrong password is told", lambda: "password is wrong" in by("trouble").text)
    log_in(password)
    until("a login shows the office", lambda: by("office").is_displayed() and by("said").text == "")
    until("no trouble is told", lambda: by("trouble").text == "")

    by("task-text").send_keys("Water the plants; twice, please")
    browser.find_element(By.CSS_SELECTOR, "#add-task button").click()
    until("a task is added", lambda: any("Water the plants; twice, please" in line for line in lines("tasks")))
    until("it can be ticked off", lambda: browser.find_element(By.CSS_SELECTOR, "#tasks input").click() is None)
    until("a task is ticked off", lambda: browser.find_elements(By.CSS_SELECTOR, "#tasks li.done"))

    by("file").send_keys(str(calendar_file))
    choose("into", "calendar")
    browser.find_element(By.CSS_SELECTOR, "#upload button").click()
    until("a calendar file is uploaded", lambda: "2 stored" in by("said").text)
    until("its events are shown, each day of a series", lambda: sum("Lunch <b>with</b> Grüße" in line for line in lines("events")) == 3)
    until("a whole day has no time", lambda: any("Review" in line and ":" not in line for line in lines("events")))
    by("file").send_keys(str(calendar_file))
    choose("into", "calendar")
    browser.find_element(By.CSS_SELECTOR, "#upload button").click()
    until("the same file again replaces", lambda: "2 stored" in by("said").text and sum("Review" in line for line in lines("events")) == 1)

    by("file").send_keys(str(card_file))
    choose("into", "contacts")
    browser.find_element(By.CSS_SELECTOR, "#upload button").click()
    until("an address book file is uploaded", lambda: "2 stored" in by("said").text)
    until("no trouble is told", lambda: by("trouble").text == "")

    download("contacts")
    until("an address book is downloaded", lambda: any("Ada Lovelace" in each.read_text() and "Babbage" in each.read_text()
                                                       for each in room.glob("*.vcf") if each != card_file))
    browser.save_screenshot(str(room / "page.png"))
    print("ok: screenshot")

    by("leave").click()
    until("logging out leaves nothing", lambda: by("login").is_displayed() and lines("tasks") == [] and lines("events") == [])
    severe = [line["message"] for line in browser.get_log("browser") if line["level"] == "SEVERE" and "401" not in line["message"]]
    until(f"the browser complains of nothing {severe}", lambda: not severe)
finally:
    browser.quit()
print("done")
