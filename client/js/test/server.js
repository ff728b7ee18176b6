/** A real HTTP server that misbehaves by script: for tests of the client's delivery. */

import { EventEmitter } from "node:events";
import { createServer } from "node:http";

const DEADLINE_MS = 20_000; // reached only where something hangs
const DRIP_MS = 5;

/**
 * One reply. `drop`: close the connection after reading; `cut`: amid the body; `stall`: say nothing until the server
 * ends, `stallBody`: after the headers; `endless`: a body that never ends. `drip`: this head, then these bytes over and
 * over, one piece every few milliseconds.
 * @typedef {{status?: number, body?: string, headers?: {[name: string]: string}, drop?: boolean, cut?: boolean,
 *   stall?: boolean, stallBody?: boolean, endless?: boolean, drip?: [string, string]}} Scripted
 */
/** @template Value @typedef {Value | Promise<Value>} Awaitable */
/** @typedef {{path: string, headers: import("node:http").IncomingHttpHeaders, body: string}} Seen what was sent */

/** Publishes a survey. A POST gets the next reply of `script`; when that is used up, an honest acknowledgement. */
export class FaultServer {
  /** @param {string | null} canonical */
  constructor(canonical) {
    /** @type {Scripted} */
    this.surveyReply = canonical === null ? problem(404, "no_such_survey") : { body: canonical };
    /** @type {Scripted[]} */
    this.script = [];
    /** @type {Seen[]} */
    this.gets = [];
    /** @type {Seen[]} */
    this.posts = [];
    /** @type {Set<string>} the reports that were counted */
    this.seen = new Set();
    /** What a POST gets before it is acknowledged as a report. @type {(seen: Seen) => Awaitable<Scripted | null>} */
    this.answer = () => null;
    this.events = new EventEmitter();
    this.url = "";
    this.server = createServer((request, response) => void this.#serve(request, response));
  }

  /** @returns {Promise<this>} */
  async listen() {
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", () => resolve(undefined)));
    this.url = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (this.server.address()).port}`;
    return this;
  }

  async close() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** The reports that were posted, in order. */
  get sent() {
    return this.posts.map((post) => JSON.parse(post.body).reports[0]);
  }

  /** Wait until so many reports were posted in all, and replied to. @param {number} nPosts */
  async posted(nPosts) {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    while (this.posts.length < nPosts) {
      await new Promise((resolve, reject) => {
        const late = () => reject(new Error(`${this.posts.length} of ${nPosts} reports were posted.`));
        signal.addEventListener("abort", late, { once: true });
        this.events.once("post", resolve);
      });
    }
  }

  async #serve(
    /** @type {import("node:http").IncomingMessage} */ request,
    /** @type {import("node:http").ServerResponse} */ response,
  ) {
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += part;
    const seen = { path: request.url ?? "", headers: request.headers, body };
    if (request.method === "POST") {
      this.posts.push(seen);
      reply(response, this.script.shift() ?? (await this.answer(seen)) ?? this.#acknowledge(body));
      this.events.emit("post");
    } else {
      this.gets.push(seen);
      reply(response, this.surveyReply);
    }
  }

  /** @returns {Scripted} */
  #acknowledge(/** @type {string} */ body) {
    const [{ id }] = JSON.parse(body).reports;
    const counted = this.seen.has(id) ? 0 : 1;
    this.seen.add(id);
    return { body: JSON.stringify({ counted, duplicates: 1 - counted }) };
  }
}

function reply(/** @type {import("node:http").ServerResponse} */ response, /** @type {Scripted} */ scripted) {
  const { status = 200, body = "", headers = {} } = scripted;
  if (scripted.stall) return;
  if (scripted.drop) return void response.destroy();
  if (scripted.drip) return drip(/** @type {import("node:net").Socket} */ (response.socket), ...scripted.drip);
  if (scripted.endless) {
    response.writeHead(status, headers);
    const pour = () => !response.destroyed && response.write(" ".repeat(50_000), () => setImmediate(pour));
    return void pour();
  }
  if (scripted.cut || scripted.stallBody) {
    response.writeHead(status, { ...headers, "Content-Length": String(body.length + 50) });
    response.flushHeaders();
    return void response.write(body || " ", () => scripted.cut && response.destroy());
  }
  response.writeHead(status, { "Content-Length": String(Buffer.byteLength(body)), ...headers });
  response.end(body);
}

function drip(
  /** @type {import("node:net").Socket} */ socket,
  /** @type {string} */ head,
  /** @type {string} */ piece,
) {
  socket.on("error", () => undefined); // the client hangs up
  socket.write(head);
  const timer = setInterval(() => socket.write(piece), DRIP_MS);
  socket.on("close", () => clearInterval(timer));
}

/** What never ends, and is never silent. @type {{[name: string]: Scripted}} */
export const HOSTILE = {
  "a body that drips": { drip: ["HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n", " "] },
  "a chunked body that drips": { drip: ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"] },
  "a head that drips": { drip: ["HTTP/1.1 200 OK\r\nX: ", "x"] },
  "headers without an end": { drip: ["HTTP/1.1 200 OK\r\n", "X: 1\r\n"] },
  "endless 100 Continue": { drip: ["", "HTTP/1.1 100 Continue\r\n\r\n"] },
  "endless 103 Early Hints": { drip: ["", "HTTP/1.1 103 Early Hints\r\n\r\n"] },
  "a body that never ends": { endless: true },
  silence: { stall: true },
};

/** Serve a survey, or none, until a test ends. @param {import("node:test").TestContext} t @param {string | null} canonical */
export async function serve(t, canonical) {
  const server = await new FaultServer(canonical).listen();
  t.after(() => server.close());
  return server;
}

/** @param {number} status @param {string} code @param {string} [where] @returns {Scripted} a problem document */
export function problem(status, code, where = "") {
  const document = { type: `urn:sottovoce:problem:${code}`, title: "No", status, code, detail: "No.", where };
  return { status, body: JSON.stringify(document), headers: { "Content-Type": "application/problem+json" } };
}

/** @type {Scripted} */
export const BUSY = { status: 503 };
/** @type {Scripted} the collector asks to be left alone */
export const AWAY = { status: 503, headers: { "Retry-After": "3600" } };
/** @param {number} nTimes @param {Scripted} scripted */
export const repeat = (nTimes, scripted) => Array.from({ length: nTimes }, () => scripted);
