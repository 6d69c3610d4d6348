// Requests to the gateway: WebDAV, CalDAV and CardDAV as any other client speaks them.

const namespaces = {
  D: "DAV:",
  C: "urn:ietf:params:xml:ns:caldav",
  A: "urn:ietf:params:xml:ns:carddav",
  I: "http://apple.com/ns/ical/",
};
const declared = Object.entries(namespaces).map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`).join(" ");

export class Refused extends Error {
  // `body`: a sentence for a person, as plain text or within XML, which may also name another resource.
  constructor(status, body) {
    const xml = body.trim().startsWith("<") ? new DOMParser().parseFromString(body, "application/xml").documentElement : null;
    const hrefs = xml ? [...xml.getElementsByTagNameNS(namespaces.D, "href")] : [];
    const href = hrefs[0]?.textContent.trim() ?? "";
    for (const each of hrefs) each.remove();
    super((xml ? xml.textContent : body).trim() || `The server answered ${status}.`);
    this.status = status;
    this.href = href;
  }
}

export class Dav {
  #authorization;

  constructor(user, password) {
    const bytes = new TextEncoder().encode(`${user}:${password}`);
    this.#authorization = "Basic " + btoa(String.fromCharCode(...bytes));
  }

  // Retries while the pair takes over; throws Refused for an answer that is none of `fine`.
  async ask(method, url, {headers = {}, body, fine = [200, 201, 204, 207]} = {}) {
    for (let tries = 0; ; ++tries) {
      const answer = await fetch(url, {
        method, body, cache: "no-store",
        credentials: "omit",  // the browser's own login dialog stays away
        headers: {...headers, Authorization: this.#authorization},
      });
      if (fine.includes(answer.status)) return answer;
      if (answer.status === 503 && tries < 3) {
        const seconds = Number(answer.headers.get("Retry-After")) || 1;
        await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
        continue;
      }
      throw new Refused(answer.status, await answer.text());
    }
  }

  async #multistatus(method, url, depth, xml) {
    const answer = await this.ask(method, url, {
      headers: {Depth: String(depth), "Content-Type": "application/xml; charset=utf-8"},
      body: `<?xml version="1.0" encoding="utf-8"?>${xml}`,
    });
    const document = new DOMParser().parseFromString(await answer.text(), "application/xml");
    return [...document.getElementsByTagNameNS(namespaces.D, "response")].map((response) => new Found(response));
  }

  propfind(url, depth, names) {
    const wanted = names.map((name) => `<${name}/>`).join("");
    return this.#multistatus("PROPFIND", url, depth, `<D:propfind ${declared}><D:prop>${wanted}</D:prop></D:propfind>`);
  }

  // The items with a component of that name; `range`: {from, to} as Date, expanded into single events.
  query(url, component, range) {
    const utc = (date) => date.toISOString().replace(/[-:]|\.\d+/g, "");
    const times = range ? `start="${utc(range.from)}" end="${utc(range.to)}"` : "";
    return this.#multistatus("REPORT", url, 1,
      `<C:calendar-query ${declared}><D:prop><D:getetag/><C:calendar-data>${range ? `<C:expand ${times}/>` : ""}</C:calendar-data></D:prop>` +
      `<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="${component}">${range ? `<C:time-range ${times}/>` : ""}` +
      `</C:comp-filter></C:comp-filter></C:filter></C:calendar-query>`);
  }

  async get(url) {
    const answer = await this.ask("GET", url, {fine: [200]});
    return {etag: answer.headers.get("ETag"), text: await answer.text()};
  }

  put(url, text, type, condition) {
    return this.ask("PUT", url, {headers: {"Content-Type": `${type}; charset=utf-8`, ...condition}, body: text});
  }
}

// One response of a multistatus: its URL, and the properties that were found.
class Found {
  constructor(response) {
    this.href = response.getElementsByTagNameNS(namespaces.D, "href")[0].textContent.trim();
    this.props = [...response.getElementsByTagNameNS(namespaces.D, "propstat")]
      .filter((propstat) => / 200 /.test(propstat.getElementsByTagNameNS(namespaces.D, "status")[0].textContent + " "))
      .map((propstat) => propstat.getElementsByTagNameNS(namespaces.D, "prop")[0]);
  }
  element(name) {
    const [prefix, local] = name.split(":");
    for (const prop of this.props) {
      const found = [...prop.children].find((each) => each.namespaceURI === namespaces[prefix] && each.localName === local);
      if (found) return found;
    }
    return null;
  }
  text(name) { return this.element(name)?.textContent.trim() ?? ""; }
  href_in(name) { return this.element(name)?.getElementsByTagNameNS(namespaces.D, "href")[0]?.textContent.trim() ?? ""; }
  has(name, child) {
    const [prefix, local] = child.split(":");
    return (this.element(name)?.getElementsByTagNameNS(namespaces[prefix], local).length ?? 0) > 0;
  }
}
