// What is on the page, and what happens when somebody uses it.
import {Dav, Refused} from "/web/dav.js";
import * as ical from "/web/ical.js";

const $ = (id) => document.getElementById(id);
const days_shown = 30;
const day_ms = 24 * 3600 * 1000;

let dav = null;
let collections = [];

function say(text) { $("said").textContent = text; }

// Runs something that talks to the server; what goes wrong is told, and nothing else is lost.
async function attempt(action) {
  $("trouble").textContent = "";
  document.body.setAttribute("aria-busy", "true");
  try {
    return await action();
  } catch (problem) {
    say("");
    $("trouble").textContent = problem instanceof Refused ? problem.message : "The server can't be reached. Try again in a moment.";
    if (problem instanceof Refused && problem.status === 401) log_out();
    else if (!(problem instanceof Refused)) console.error(problem);
    return undefined;
  } finally {
    document.body.removeAttribute("aria-busy");
  }
}

function make(tag, {text, ...properties} = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}

function log_out() {
  dav = null;
  collections = [];
  for (const list of ["tasks", "events", "collections"]) $(list).replaceChildren();
  $("office").hidden = $("who").hidden = true;
  $("login").hidden = false;
  $("password").value = "";
  $("name").focus();
}

async function log_in(user, password) {
  dav = new Dav(user, password);
  const [self] = await dav.propfind("/dav/", 0, ["D:current-user-principal"]);
  const principal = self.href_in("D:current-user-principal");
  const [who] = await dav.propfind(principal, 0, ["D:displayname", "C:calendar-home-set", "A:addressbook-home-set"]);
  await load_collections(who);
  $("user").textContent = who.text("D:displayname") || user;
  $("password").value = "";
  $("login").hidden = true;
  $("office").hidden = $("who").hidden = false;
  await refresh();
  $("task-text").focus();
}

async function load_collections(who) {
  collections = [];
  const names = ["D:resourcetype", "D:displayname", "C:supported-calendar-component-set", "I:calendar-color"];
  for (const home of [who.href_in("C:calendar-home-set"), who.href_in("A:addressbook-home-set")].filter(Boolean)) {
    for (const found of await dav.propfind(home, 1, names)) {
      const calendar = found.has("D:resourcetype", "C:calendar");
      if (!calendar && !found.has("D:resourcetype", "A:addressbook")) continue;
      const set = found.element("C:supported-calendar-component-set");
      const kinds = calendar ? [...(set?.children ?? [])].map((comp) => comp.getAttribute("name")) : ["VCARD"];
      const last = decodeURIComponent(found.href.replace(/\/$/, "").split("/").pop());
      collections.push({href: found.href, name: found.text("D:displayname") || last, color: found.text("I:calendar-color").slice(0, 7),
                        kinds: kinds.length ? kinds : ["VEVENT", "VTODO"]});
    }
  }
}

const of_kind = (kind) => collections.filter((each) => each.kinds.includes(kind));

async function refresh() {
  say("Loading ...");
  show_collections();
  await Promise.all([show_tasks(), show_events()]);
  say("");
}

function show_collections() {
  const words = {VEVENT: "events", VTODO: "tasks", VJOURNAL: "journals", VCARD: "contacts"};
  $("collections").replaceChildren(...collections.map((each) => make("tr", {},
    make("th", {scope: "row", text: each.name}),
    make("td", {text: each.kinds.map((kind) => words[kind] ?? kind).join(", ")}),
    make("td", {}, make("button", {type: "button", className: "plain", text: "Download", ariaLabel: `Download ${each.name}`,
                                   onclick: () => attempt(() => download(each))})))));
  const options = (list) => list.map((each) => make("option", {value: each.href, text: each.name}));
  $("task-list").replaceChildren(...options(of_kind("VTODO").sort((a, b) => a.kinds.length - b.kinds.length)));
  $("into").replaceChildren(...options(collections));
}

async function show_tasks() {
  const tasks = [];
  for (const list of of_kind("VTODO")) {
    for (const found of await dav.query(list.href, "VTODO")) {
      const [task] = ical.components(found.text("C:calendar-data"), "VTODO");
      if (!task) continue;
      tasks.push({href: found.href, list, summary: ical.text_of(task, "SUMMARY") || "(no title)",
                  done: ical.text_of(task, "STATUS").toUpperCase() === "COMPLETED", due: ical.moment(ical.property(task, "DUE"))});
    }
  }
  const order = (task) => [task.done, task.due?.at.getTime() ?? Infinity, task.summary];
  tasks.sort((a, b) => { const [x, y] = [order(a), order(b)]; for (const at of [0, 1, 2]) if (x[at] !== y[at]) return x[at] < y[at] ? -1 : 1; return 0; });
  $("tasks").replaceChildren(...tasks.map(task_line));
  $("no-tasks").hidden = tasks.length > 0;
}

function task_line(task, number) {
  const id = `task-${number}`;
  const box = make("input", {type: "checkbox", id, checked: task.done});
  box.onchange = () => attempt(() => tick_off(task, box.checked)).then(show_tasks);
  const notes = [task.due ? `due ${show_moment(task.due)}` : "", task.list.name].filter(Boolean).join(", ");
  return make("li", {className: task.done ? "done" : ""}, box, make("label", {htmlFor: id, text: task.summary}),
              make("span", {className: "quiet", text: notes}));
}

async function tick_off(task, done) {
  const {etag, text} = await dav.get(task.href);
  await dav.put(task.href, ical.with_task_done(text, done, new Date()), "text/calendar", {"If-Match": etag});
  say(done ? `Done: ${task.summary}` : `Open again: ${task.summary}`);
}

async function add_task(list, summary) {
  const uid = crypto.randomUUID();
  await dav.put(`${list}${uid}.ics`, ical.new_task(uid, summary, new Date()), "text/calendar", {"If-None-Match": "*"});
  $("task-text").value = "";
  await show_tasks();
  say(`Added: ${summary}`);
}

function show_moment({at, day}) {
  return at.toLocaleString([], {weekday: "short", year: "numeric", month: "short", day: "numeric", ...(day ? {} : {hour: "2-digit", minute: "2-digit"})});
}

async function show_events() {
  const from = new Date(new Date().setHours(0, 0, 0, 0));
  const range = {from, to: new Date(from.getTime() + days_shown * day_ms)};
  const events = [];
  for (const calendar of of_kind("VEVENT")) {
    for (const found of await dav.query(calendar.href, "VEVENT", range)) {
      for (const event of ical.components(found.text("C:calendar-data"), "VEVENT")) {
        const start = ical.moment(ical.property(event, "DTSTART"));
        if (start) events.push({start, calendar, summary: ical.text_of(event, "SUMMARY") || "(no title)", place: ical.text_of(event, "LOCATION")});
      }
    }
  }
  events.sort((a, b) => a.start.at - b.start.at);
  $("events").replaceChildren(...events.map((event) => {
    const dot = make("span", {className: "dot", ariaHidden: "true"});
    if (/^#[0-9a-f]{6}$/i.test(event.calendar.color)) dot.style.background = event.calendar.color;
    return make("li", {}, dot, make("time", {dateTime: event.start.at.toISOString(), text: show_moment(event.start)}),
                make("span", {text: event.summary}), make("span", {className: "quiet", text: [event.place, event.calendar.name].filter(Boolean).join(", ")}));
  }));
  $("no-events").hidden = events.length > 0;
}

async function download(collection) {
  const cards = collection.kinds.includes("VCARD");
  const texts = [];
  const members = (await dav.propfind(collection.href, 1, ["D:resourcetype"])).filter((each) => !each.has("D:resourcetype", "D:collection"));
  for (const [at, member] of members.entries()) {
    if (at % 20 === 0) say(`Downloading ${collection.name}: ${at} of ${members.length}`);
    texts.push((await dav.get(member.href)).text);
  }
  const whole = cards ? texts.join("") : ical.join_calendar(texts);
  const link = make("a", {href: URL.createObjectURL(new Blob([whole], {type: cards ? "text/vcard" : "text/calendar"})),
                          download: `${collection.name}.${cards ? "vcf" : "ics"}`});
  link.click();
  URL.revokeObjectURL(link.href);
  say(`${texts.length} items of ${collection.name} are in ${link.download}.`);
}

// What has the same UID under another name is replaced there.
async function store(url, text, type) {
  try {
    await dav.put(url, text, type);
  } catch (problem) {
    if (!(problem instanceof Refused) || !problem.href || problem.href === url) throw problem;
    await dav.put(problem.href, text, type);
  }
}

async function upload(files, into) {
  const target = collections.find((each) => each.href === into);
  const cards = target.kinds.includes("VCARD");
  let stored = 0;
  const refused = [];
  for (const file of files) {
    const items = cards ? ical.split_cards(await file.text()) : ical.split_calendar(await file.text());
    if (items.length === 0) refused.push(`${file.name}: there is no ${cards ? "card" : "event or task"} in it`);
    for (const [at, item] of items.entries()) {
      say(`Uploading ${file.name}: ${at + 1} of ${items.length}`);
      const name = item.uid.replace(/[^A-Za-z0-9@._-]/g, "_").slice(0, 200) || crypto.randomUUID();
      try {
        await store(`${into}${encodeURIComponent(name)}.${cards ? "vcf" : "ics"}`, item.text, cards ? "text/vcard" : "text/calendar");
        ++stored;
      } catch (problem) {
        if (!(problem instanceof Refused) || problem.status === 401) throw problem;
        refused.push(`${file.name}, item ${at + 1}: ${problem.message}`);
      }
    }
  }
  $("upload").reset();
  await refresh();
  say(`${stored} stored in ${target.name}.`);
  if (refused.length) $("trouble").textContent = refused.slice(0, 10).join(" ");
}

function on_submit(form, action) {
  $(form).addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(action);
  });
}

on_submit("login", () => log_in($("name").value.trim(), $("password").value));
on_submit("add-task", () => add_task($("task-list").value, $("task-text").value.trim()));
on_submit("upload", () => upload([...$("file").files], $("into").value));
$("leave").addEventListener("click", () => { log_out(); say("Logged out."); });
$("name").focus();
