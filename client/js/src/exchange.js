/**
 * One exchange with a collector: without cookie, referrer, password or redirect. What the browser says of itself (its
 * name, its languages, the page's origin) and which connection it takes, no page can choose.
 */

import { concat } from "./bytes.js";
import { isText } from "./documents.js";
import { DeliveryError } from "./errors.js";

const MAX_KEEPALIVE_BYTES = 60_000; // browsers allow 64 KiB of requests that outlive their page

const UNREACHED =
  "it cannot be reached, does not have the survey, or does not allow this page's origin: see --cors-origin";
const PROBLEM = "application/problem+json";
const PROBLEM_TYPE = "urn:sottovoce:problem:";

/** @typedef {{status: number, headers: Headers, body: Uint8Array, keys?: string}} Reply `keys`: see `Receipt` */
/** @typedef {{status: number, code: string, detail: string, where: string}} Problem RFC 9457's, or `unexpected` */

/**
 * Return a collector's or a relay's address without a trailing slash. Throws TypeError, which quotes nothing.
 * @param {unknown} url @param {string} [name]
 */
export function checkUrl(url, name = "url") {
  const parts = typeof url === "string" ? parseUrl(url) : null;
  const isPlain = parts !== null && ["http:", "https:"].includes(parts.protocol);
  if (!isPlain || parts.username || parts.password || /[?#]/.test(parts.href)) {
    throw new TypeError(`${name} must be http:// or https://, a host, and no user, password, query or fragment.`);
  }
  return parts.href.replace(/\/+$/, "");
}

/**
 * Connect, send, and read the answer to its end, all within `timeoutMs`, however the other side behaves. The request is
 * begun at once: the page may be closing, and it outlives that.
 * @param {string} url @param {number} timeoutMs @param {number} maxBytes of the answer
 * @param {BodyInit & {length: number}} [body] of a POST; none: a GET @param {string} [type] its media type
 * @returns {Promise<Reply>}
 */
export async function exchange(url, timeoutMs, maxBytes, body, type = "application/json") {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  const headers = { "Content-Type": type };
  try {
    const response = await fetch(url, {
      ...(body && { method: "POST", headers, body, keepalive: body.length <= MAX_KEEPALIVE_BYTES }),
      credentials: "omit",
      referrerPolicy: "no-referrer",
      redirect: "manual",
      cache: "no-store",
      signal: controller.signal,
    });
    return { status: response.status, headers: response.headers, body: await readBody(response, maxBytes) };
  } catch (fault) {
    controller.abort(); // nobody reads on
    const { name } = /** @type {Error} */ (fault);
    const why = name === "TypeError" ? UNREACHED : name; // a browser tells scripts no more
    throw new DeliveryError(`no answer from the collector (${why}).`, { cause: fault });
  } finally {
    clearTimeout(timer);
  }
}

async function readBody(/** @type {Response} */ response, /** @type {number} */ maxBytes) {
  const chunks = [];
  let nBytes = 0;
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
    nBytes += part.value.length;
    if (nBytes > maxBytes) throw new RangeError("too long");
    chunks.push(part.value);
  }
  return concat(...chunks);
}

/**
 * Return what a collector says is wrong with a request, with 4xx. Whatever is not a problem document of its own kind, by
 * media type and `type`, has the code `unexpected`: gateways and portals in between send JSON with a `code`, too.
 * @param {Reply} reply @returns {Problem}
 */
export function problemOf({ status, headers, body }) {
  const [mediaType] = (headers.get("content-type") ?? "").split(";");
  const isProblem = status >= 400 && status < 500 && mediaType.trim().toLowerCase() === PROBLEM;
  const document = isProblem ? readJson(body) : undefined;
  const { type, code, detail = "", where = "" } = document ?? {};
  const areTexts = [detail, where].every((text) => text === "" || isText(text, 2000));
  if (isText(code, 2000) && type === PROBLEM_TYPE + code && areTexts) return { status, code, detail, where };
  return { status, code: "unexpected", detail: `HTTP ${status} without a problem document.`, where: "" };
}

/** @param {Uint8Array} body @returns {any} undefined for what is no JSON object */
export function readJson(body) {
  try {
    const document = JSON.parse(new TextDecoder().decode(body));
    return document !== null && typeof document === "object" ? document : undefined;
  } catch {
    return undefined;
  }
}

function parseUrl(/** @type {string} */ url) {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}
