#!/usr/bin/python3
"""pycaldav.py URL USER PASS : acceptance round trip with Debian python3-caldav 0.11"""
import sys, datetime as dt, uuid, warnings; warnings.simplefilter('ignore')
import caldav
from caldav.lib import error
url, user, pw = sys.argv[1:4]
ok = bad = 0
def chk(name, f):
    global ok, bad
    try:
        r = f()
        if r is False: raise AssertionError('false')
        ok += 1; print('ok  ', name)
        return r
    except Exception as e:
        bad += 1; print('FAIL', name, type(e).__name__, str(e)[:160].replace('\n', ' '))
c = caldav.DAVClient(url=url, username=user, password=pw)
def dav():
    r = c.request(url, 'OPTIONS', '', {}); return 'calendar-access' in r.headers.get('DAV', '')
chk('OPTIONS advertises calendar-access', dav)
p = chk('principal', c.principal); 
if p is None: sys.exit(2)
cals0 = chk('list calendars', p.calendars)
cid = 'pc-' + uuid.uuid4().hex[:8]
cal = chk('MKCALENDAR', lambda: p.make_calendar(name='Bench ü & <x>', cal_id=cid))
if cal is None: sys.exit(2)
chk('new calendar listed', lambda: any(cid in str(x.url) for x in p.calendars()))
chk('displayname read back', lambda: cal.get_properties([caldav.elements.dav.DisplayName()]).get('{DAV:}displayname') == 'Bench ü & <x>')
def ics(body): return 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//bench//EN\r\n' + body.replace('\n', '\r\n') + 'END:VCALENDAR\r\n'
ev = ics('BEGIN:VEVENT\nUID:%s-e1\nDTSTAMP:20260101T000000Z\nDTSTART:20260315T100000Z\nDTEND:20260315T110000Z\nSUMMARY:One shot\nEND:VEVENT\n' % cid)
rr = ics('BEGIN:VEVENT\nUID:%s-e2\nDTSTAMP:20260101T000000Z\nDTSTART:20260302T080000Z\nDURATION:PT30M\nRRULE:FREQ=WEEKLY;COUNT=10\nEXDATE:20260316T080000Z\nSUMMARY:Weekly\nEND:VEVENT\nBEGIN:VEVENT\nUID:%s-e2\nDTSTAMP:20260101T000000Z\nRECURRENCE-ID:20260323T080000Z\nDTSTART:20260324T090000Z\nDURATION:PT30M\nSUMMARY:Weekly moved\nEND:VEVENT\n' % (cid, cid))
ad = ics('BEGIN:VEVENT\nUID:%s-e3\nDTSTAMP:20260101T000000Z\nDTSTART;VALUE=DATE:20260401\nDTEND;VALUE=DATE:20260402\nSUMMARY:All day\nEND:VEVENT\n' % cid)
t1 = ics('BEGIN:VTODO\nUID:%s-t1\nDTSTAMP:20260101T000000Z\nSUMMARY:no dates\nSTATUS:NEEDS-ACTION\nEND:VTODO\n' % cid)
t2 = ics('BEGIN:VTODO\nUID:%s-t2\nDTSTAMP:20260101T000000Z\nSUMMARY:due\nDUE:20260320T120000Z\nSTATUS:NEEDS-ACTION\nEND:VTODO\n' % cid)
t3 = ics('BEGIN:VTODO\nUID:%s-t3\nDTSTAMP:20260101T000000Z\nSUMMARY:done\nSTATUS:COMPLETED\nCOMPLETED:20260102T000000Z\nEND:VTODO\n' % cid)
j1 = ics('BEGIN:VJOURNAL\nUID:%s-j1\nDTSTAMP:20260101T000000Z\nDTSTART;VALUE=DATE:20260310\nSUMMARY:note\nDESCRIPTION:wiki text\nEND:VJOURNAL\n' % cid)
e1 = chk('save event', lambda: cal.save_event(ev)); chk('save recurring+override', lambda: cal.save_event(rr)); chk('save all-day', lambda: cal.save_event(ad))
for n, t in (('t1', t1), ('t2', t2), ('t3', t3)): chk('save todo ' + n, lambda: cal.save_todo(t))
chk('save journal', lambda: cal.save_journal(j1))
D = lambda *a: dt.datetime(*a, tzinfo=dt.timezone.utc)
chk('event by uid', lambda: cal.event_by_uid(cid + '-e1').data.find('One shot') > 0)
chk('date search hit', lambda: [x for x in cal.date_search(D(2026,3,15), D(2026,3,16))].__len__() == 1)
chk('date search miss', lambda: len(cal.date_search(D(2025,3,15), D(2025,3,16))) == 0)
chk('end is exclusive', lambda: len(cal.date_search(D(2026,3,15,11), D(2026,3,15,12))) == 0)
chk('all-day DTEND exclusive', lambda: len(cal.date_search(D(2026,4,2,12), D(2026,4,3))) == 0)
chk('all-day hit', lambda: len(cal.date_search(D(2026,4,1,12), D(2026,4,1,13))) == 1)
chk('EXDATE respected', lambda: len(cal.date_search(D(2026,3,16,7), D(2026,3,16,9))) == 0)
chk('moved override: old slot empty', lambda: len(cal.date_search(D(2026,3,23,7), D(2026,3,23,9), expand=False)) == 0)
chk('moved override: new slot hit', lambda: len(cal.date_search(D(2026,3,24,8), D(2026,3,24,10), expand=False)) == 1)
def nexp():
    r = cal.date_search(D(2026,3,1), D(2026,6,1), expand=True); n = sum(x.data.count('BEGIN:VEVENT') for x in r); print('      expanded instances:', n); return n == 1 + 9 + 1
chk('expand count 11', nexp)
chk('open todos = 2', lambda: len(cal.todos()) == 2)
chk('all todos = 3', lambda: len(cal.todos(include_completed=True)) == 3)
chk('events = 3', lambda: len(cal.events()) == 3)
chk('journals = 1', lambda: len(cal.journals()) == 1)
def tr():
    r = cal.date_search(D(2026,3,20), D(2026,3,21), compfilter='VTODO'); s = sorted('t1' if '-t1' in x.data else 't2' if '-t2' in x.data else 't3' for x in r); print('      VTODO in range:', s); return 't2' in s
chk('VTODO time-range includes DUE', tr)
chk('VTODO w/o dates matches any range (RFC4791 9.9)', lambda: any('-t1' in x.data for x in cal.date_search(D(2026,3,20), D(2026,3,21), compfilter='VTODO')))
def cmpl():
    t = [x for x in cal.todos() if '-t2' in x.data][0]; t.complete(); return len(cal.todos()) == 1
chk('complete todo', cmpl)
st = chk('sync: initial token', lambda: cal.objects(load_objects=False))
def sync():
    e = cal.event_by_uid(cid + '-e1'); e.data = e.data.replace('One shot', 'One shot v2'); e.save()
    u, d = st.sync(); print('      sync updated %d deleted %d' % (len(list(u)), len(list(d)))); return len(list(u)) == 1 and len(list(d)) == 0
if st: chk('sync-collection reports exactly the change', sync)
def dele():
    cal.event_by_uid(cid + '-e1').delete()
    try: cal.event_by_uid(cid + '-e1'); return False
    except error.NotFoundError: return True
chk('delete event', dele)
def fb():
    r = cal.freebusy_request(D(2026,3,1), D(2026,3,31)); return 'FREEBUSY' in r.data
chk('free-busy-query', fb)
def wp():
    try: caldav.DAVClient(url=url, username=user, password='wrong').principal().calendars(); return False
    except (error.AuthorizationError,): return True
chk('wrong password refused', wp)
chk('delete calendar', lambda: (cal.delete(), True)[1])
chk('gone', lambda: not any(cid in str(x.url) for x in p.calendars()))
print('%d passed, %d failed' % (ok, bad))
if not bad: print("done")
sys.exit(bad > 0)
