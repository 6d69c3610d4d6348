// node tsdav.mjs SERVERURL USER PASS : tsdav (npm) CalDAV+CardDAV round trip
import { createDAVClient } from 'tsdav';
const [,, serverUrl, username, password] = process.argv;
let ok=0,bad=0; const chk=async(n,f)=>{try{const r=await f(); if(r===false) throw new Error('false'); ok++; console.log('ok  ',n); return r;}catch(e){bad++; console.log('FAIL',n,String(e).slice(0,200));}};
const c = await chk('createDAVClient (discovery)', ()=>createDAVClient({serverUrl, credentials:{username,password}, authMethod:'Basic', defaultAccountType:'caldav'}));
if(!c){console.log(`${ok} passed, ${bad} failed`);process.exit(1);}
const id='ts'+Date.now();
const cals0=await chk('fetchCalendars',()=>c.fetchCalendars());
const home=cals0&&cals0[0]?cals0[0].url.replace(/[^/]+\/$/,''):null;
await chk('makeCalendar',async()=>{const r=await c.makeCalendar({url:home+id+'/',props:{displayname:'ts & cal'}}); return r[0].ok;});
let cal; await chk('calendar visible with displayname',async()=>{cal=(await c.fetchCalendars()).find(x=>x.url.includes(id)); return cal && cal.displayName==='ts & cal';});
const ics=(u,s)=>`BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//ts//EN\r\nBEGIN:VEVENT\r\nUID:${u}\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260315T100000Z\r\nDTEND:20260315T110000Z\r\nSUMMARY:${s}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;
for(let i=0;i<5;i++) await chk('createCalendarObject '+i,async()=>(await c.createCalendarObject({calendar:cal,filename:`o ${i} é.ics`.replace(/ /g,'%20').replace('é','%C3%A9'),iCalString:ics(id+'-'+i,'n'+i)})).ok);
await chk('duplicate create refused 412',async()=>(await c.createCalendarObject({calendar:cal,filename:'o%200%20%C3%A9.ics',iCalString:ics(id+'-0','x')})).status===412);
let objs=await chk('fetchCalendarObjects (query+multiget) = 5',async()=>{const o=await c.fetchCalendarObjects({calendar:cal}); if(o.length!==5) throw new Error('got '+o.length); return o;});
await chk('timeRange fetch = 5',async()=>(await c.fetchCalendarObjects({calendar:cal,timeRange:{start:'2026-03-15T00:00:00Z',end:'2026-03-16T00:00:00Z'}})).length===5);
await chk('timeRange miss = 0',async()=>(await c.fetchCalendarObjects({calendar:cal,timeRange:{start:'2025-03-15T00:00:00Z',end:'2025-03-16T00:00:00Z'}})).length===0);
await chk('update with etag',async()=>(await c.updateCalendarObject({calendarObject:{...objs[0],data:objs[0].data.replace(/SUMMARY:n/,'SUMMARY:upd')}})).ok);
await chk('stale etag refused 412',async()=>(await c.updateCalendarObject({calendarObject:{...objs[0],data:objs[0].data}})).status===412);
await chk('smartCollectionSync (sync-collection) sees 1 update',async()=>{const r=await c.smartCollectionSync({collection:{...cal,objects:objs,objectMultiGet:c.calendarMultiGet},method:'webdav',detailedResult:true}); return r.objects.updated.length===1 && r.objects.created.length===0 && r.objects.deleted.length===0;});
await chk('delete',async()=>{const o=(await c.fetchCalendarObjects({calendar:cal}))[1]; return (await c.deleteCalendarObject({calendarObject:o})).ok;});
await chk('4 left',async()=>(await c.fetchCalendarObjects({calendar:cal})).length===4);
await chk('delete calendar',async()=>(await c.deleteObject({url:cal.url})).ok);
console.log(`${ok} passed, ${bad} failed`);
if (!bad) console.log('done');
process.exit(bad?1:0);
