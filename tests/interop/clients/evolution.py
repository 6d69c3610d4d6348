#!/usr/bin/python3
"""evolution.py CALENDAR_URL USER PASSWORD, within a D-Bus session: Evolution's CalDAV backend through libecal."""
import sys, gi, time, threading
gi.require_version('EDataServer','1.2'); gi.require_version('ECal','2.0'); gi.require_version('ICalGLib','3.0')
from gi.repository import EDataServer, ECal, GLib, ICalGLib, Gio
from urllib.parse import urlparse
url,user,pw=sys.argv[1:4]; u=urlparse(url)
reg=EDataServer.SourceRegistry.new_sync(None)
src=EDataServer.Source.new(None,None); src.set_display_name('bench'); src.set_parent('caldav-stub')
cal=src.get_extension('Calendar'); cal.set_backend_name('caldav')
a=src.get_extension('Authentication'); a.set_host(u.hostname); a.set_port(u.port or 80); a.set_user(user); a.set_method('plain/password')
s=src.get_extension('Security'); s.set_secure(False); s.set_method('none')
w=src.get_extension('WebDAV Backend'); w.set_resource_path(u.path); 
try: w.set_calendar_auto_schedule(False)
except Exception: pass
src.get_extension('Offline').set_stay_synchronized(True)
def cred(source,*args):
    p=EDataServer.NamedParameters.new(); p.set('username',user); p.set('password',pw)
    try: source.invoke_authenticate_sync(p,None); print('authenticated')
    except Exception as e: print('auth err',e)
reg.commit_source_sync(src,None); src=reg.ref_source(src.get_uid())
ctx=GLib.MainContext.default()
src.connect('credentials-required',lambda s,*x: threading.Thread(target=cred,args=(s,)).start())
t=threading.Thread(target=lambda: GLib.MainLoop().run(),daemon=True); t.start()
ok=bad=0
def chk(n,f):
    global ok,bad
    try:
        r=f()
        if r is False: raise RuntimeError('false')
        ok+=1; print('ok  ',n); return r
    except Exception as e: bad+=1; print('FAIL',n,str(e)[:200])
def conn():
    c=ECal.Client.connect_sync(src,ECal.ClientSourceType.EVENTS,30,None); return c
c=chk('connect',conn)
if c is None: print('%d passed, %d failed'%(ok,bad)); sys.exit(1)
uid='eds-%d'%int(time.time())
comp=ICalGLib.Component.new_from_string('BEGIN:VEVENT\r\nUID:%s\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260315T100000Z\r\nDTEND:20260315T110000Z\r\nSUMMARY:from evolution ☃\r\nEND:VEVENT\r\n'%uid)
chk('create object',lambda: c.create_object_sync(comp,ECal.OperationFlags.NONE,None)[0])
chk('get object',lambda: 'from evolution' in c.get_object_sync(uid,None,None)[1].as_ical_string())
def mod():
    o=c.get_object_sync(uid,None,None)[1]; o.set_summary('changed'); return c.modify_object_sync(o,ECal.ObjModType.ALL,ECal.OperationFlags.NONE,None)
chk('modify object',mod)
chk('refresh',lambda: c.refresh_sync(None))
def listed(summary):
    until=time.monotonic()+60
    while time.monotonic()<until:
        if any(summary in (o.get_summary() or '') for o in c.get_object_list_sync('#t',None)[1]): return True
        time.sleep(0.05)
    return False
chk('list',lambda: listed('changed'))
print('n objects',len(c.get_object_list_sync('#t',None)[1]))
chk('remove',lambda: c.remove_object_sync(uid,None,ECal.ObjModType.ALL,ECal.OperationFlags.NONE,None))
print('%d passed, %d failed'%(ok,bad)); sys.stdout.flush(); import os; os._exit(bad>0)
