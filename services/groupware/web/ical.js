// As much of iCalendar (RFC 5545) and vCard (RFC 6350) as the page needs. What it does not understand it keeps.

export function unfold(text) {
  return text.replace(/\r\n?/g, "\n").replace(/\n[ \t]/g, "").split("\n").filter((line) => line !== "");
}

// Lines of at most 75 bytes (RFC 5545, 3.1), never broken within a character.
export function fold(lines) {
  const encoder = new TextEncoder();
  return lines.map((line) => {
    let out = "", room = 75;
    for (const character of line) {
      const size = encoder.encode(character).length;
      if (size > room) { out += "\r\n "; room = 74; }
      out += character;
      room -= size;
    }
    return out;
  }).join("\r\n") + "\r\n";
}

function parse_line(line) {
  let quoted = false, colon = 0;
  while (colon < line.length && (quoted || line[colon] !== ":")) {
    if (line[colon] === '"') quoted = !quoted;
    ++colon;
  }
  const [name, ...parameters] = line.slice(0, colon).split(";");
  return {name: name.toUpperCase(), parameters: parameters.map((each) => each.toUpperCase()), value: line.slice(colon + 1)};
}

// The components of that name directly in VCALENDAR, each with its own lines (those of alarms left out).
export function components(text, name) {
  const found = [];
  let depth = 0, current = null;
  for (const line of unfold(text)) {
    const {name: word, value} = parse_line(line);
    if (word === "BEGIN") {
      ++depth;
      if (depth === 2 && value.toUpperCase() === name) current = {lines: []};
      continue;
    }
    if (word === "END") {
      if (depth === 2 && current) { found.push(current); current = null; }
      --depth;
      continue;
    }
    if (current && depth === 2) current.lines.push(parse_line(line));
  }
  return found;
}

export function property(component, name) { return component.lines.find((line) => line.name === name); }

export function text_of(component, name) {
  return (property(component, name)?.value ?? "")
    .replace(/\\([nN,;\\])/g, (_, character) => (/[nN]/.test(character) ? "\n" : character));
}

const escape = (text) => text.replace(/[\\;,]/g, "\\$&").replace(/\r?\n/g, "\\n");

// {at: Date, day: true for a whole day}; local time where the value has no zone that the browser knows.
export function moment(line) {
  const parts = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?$/.exec(line?.value ?? "");
  if (!parts) return null;
  const [, year, month, day, hour, minute, second, utc] = parts;
  if (hour === undefined) return {at: new Date(year, month - 1, day), day: true};
  const numbers = [year, month - 1, day, hour, minute, second];
  return {at: utc ? new Date(Date.UTC(...numbers)) : new Date(...numbers), day: false};
}

const stamp = (date) => date.toISOString().replace(/[-:]|\.\d+/g, "");

export function new_task(uid, summary, now) {
  return fold(["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Pollux//groupware page//EN", "BEGIN:VTODO", `UID:${uid}`,
    `DTSTAMP:${stamp(now)}`, `CREATED:${stamp(now)}`, `SUMMARY:${escape(summary)}`, "STATUS:NEEDS-ACTION", "END:VTODO", "END:VCALENDAR"]);
}

// The same calendar object with its task done, or open again. Only the task's own status lines change.
export function with_task_done(text, done, now) {
  const status = /^(STATUS|COMPLETED|PERCENT-COMPLETE|LAST-MODIFIED|DTSTAMP)[;:]/i;
  const out = [];
  let depth = 0, task = false;
  for (const line of unfold(text)) {
    const upper = line.toUpperCase();
    if (upper.startsWith("BEGIN:")) {
      ++depth;
      if (depth === 2) task = upper === "BEGIN:VTODO";
    } else if (upper.startsWith("END:")) {
      if (depth === 2 && task) {
        out.push(`DTSTAMP:${stamp(now)}`, `LAST-MODIFIED:${stamp(now)}`);
        if (done) out.push("STATUS:COMPLETED", `COMPLETED:${stamp(now)}`, "PERCENT-COMPLETE:100");
        else out.push("STATUS:NEEDS-ACTION");
        task = false;
      }
      --depth;
    } else if (task && depth === 2 && status.test(line)) {
      continue;
    }
    out.push(line);
  }
  return fold(out);
}

// A file with many events and tasks as one object for each UID, each with the time zones of the file (RFC 4791, 4.1).
export function split_calendar(text) {
  const head = [], zones = [], objects = new Map();
  let depth = 0, block = [], kind = "", uid = "";
  for (const line of unfold(text.replace(/^\uFEFF/, ""))) {
    const {name, value} = parse_line(line);
    if (name === "BEGIN" && ++depth === 2) { kind = value.toUpperCase(); block = []; uid = ""; }
    if (depth >= 2) block.push(line);
    else if (name !== "BEGIN" && name !== "END" && depth === 1 && name !== "METHOD") head.push(line);
    if (depth === 2 && name === "UID") uid = value;
    if (name === "END" && depth-- === 2) {
      if (kind === "VTIMEZONE") zones.push(...block);
      else objects.set(uid || crypto.randomUUID(), [...(objects.get(uid) ?? []), ...block]);
    }
  }
  return [...objects].map(([key, lines]) => ({
    uid: key, text: fold(["BEGIN:VCALENDAR", ...head, ...zones, ...lines, "END:VCALENDAR"]),
  }));
}

// The other way round: all objects as one file; each time zone once.
export function join_calendar(texts) {
  const zones = new Map(), rest = [];
  for (const text of texts) {
    let depth = 0, block = [], kind = "";
    for (const line of unfold(text)) {
      const {name, value} = parse_line(line);
      if (name === "BEGIN" && ++depth === 2) { kind = value.toUpperCase(); block = []; }
      if (depth >= 2) block.push(line);
      if (name === "END" && depth-- === 2) {
        if (kind === "VTIMEZONE") zones.set(block.find((each) => /^TZID[;:]/i.test(each)), block);
        else rest.push(...block);
      }
    }
  }
  return fold(["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Pollux//groupware page//EN", ...[...zones.values()].flat(), ...rest, "END:VCALENDAR"]);
}

export function split_cards(text) {
  const cards = text.replace(/^\uFEFF/, "").match(/^BEGIN:VCARD[^]*?^END:VCARD[^\S\n]*\r?$/gim) ?? [];
  return cards.map((card) => {
    const uid = parse_line(unfold(card).find((line) => /^UID[;:]/i.test(line)) ?? "").value;
    const made = uid || crypto.randomUUID();
    const whole = uid ? card : card.replace(/^END:VCARD/im, `UID:${made}\r\nEND:VCARD`);
    return {uid: made, text: whole.trimEnd() + "\r\n"};
  });
}
