/** How long requests are: all of a survey alike, so that a relay cannot tell one from another. */

import { writeRequest } from "./bhttp.js";

const LEAST_BYTES = 1024;
/** Of host and port, for which every request has room: so one survey has one size, whatever its collector is called. */
const MAX_AUTHORITY_BYTES = 260;

/** @typedef {import("./bhttp.js").Lines} Lines */
/** @type {Lines} */
const JSON_BODY = [["content-type", "application/json"]];

/**
 * Return a POST in binary HTTP, with zeros behind it up to the size of all requests of its survey: a power of two that holds
 * its longest report. (Checks, tokens and erasures are shorter than the least.)
 * @param {import("../src/way.js").Via} via @param {string} path at the collector @param {string} body
 */
export function paddedRequest({ url, nBytes }, path, body) {
  const room = "x".repeat(MAX_AUTHORITY_BYTES);
  const reports = path.replace(/(surveys\/[^/]+\/).*/, "$1reports");
  const longest = writeRequest("POST", room, reports, JSON_BODY, "x".repeat(nBytes)).length;
  const size = 2 ** Math.ceil(Math.log2(Math.max(LEAST_BYTES, longest)));
  return writeRequest("POST", new URL(url).host, path, JSON_BODY, body, size);
}
