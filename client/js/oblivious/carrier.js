/**
 * Oblivious delivery: each request goes to a relay, encrypted for the collector's gateway, and nothing goes anywhere else.
 *
 * The relay hears who sends, and not what; the gateway what is sent, and not by whom. A gateway that gave a device keys of
 * its own would know whose request it opens. So its keys are signed, with an epoch that rises: a device that is shown
 * other keys of an epoch sends nothing with either, and says so.
 */

import { readJson } from "../src/exchange.js";
import { today } from "../src/ledger.js";
import { readResponse } from "./bhttp.js";
import { encapsulate } from "./encapsulation.js";
import { readConfiguration } from "./keys.js";
import { paddedRequest } from "./size.js";

/** RFC 9540: below the address of a relay. */
const PATH = "/.well-known/ohttp-gateway";
/** https, or http on this machine. */
const RELAY = /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1)(?![^:/]))[^?#@]+$/;
const KEY_PROBLEM = "https://iana.org/assignments/http-problem-types#ohttp-key";
/** The oldest browsers with Ed25519 and X25519. */
const TOO_OLD = "an oblivious survey needs Chrome or Edge 137, Firefox 130, Safari 17, or a newer browser";
const KEPT_MS = 3_600_000;
const MAX_SIGNED_BYTES = 8192;
const MAX_REPLY_BYTES = 2 ** 17;

/** @typedef {import("../src/way.js").Via} Via */
/** @typedef {import("../src/way.js").Parts} Parts */
/** @typedef {import("../src/exchange.js").Reply} Reply */
/** @typedef {import("./keys.js").Configuration} Configuration */
/** What a device saw of a gateway. @typedef {{key: string, epoch: number, digest: string, other?: string}} Seen */

/** @type {Reply} */
const NOTHING = { status: 0, headers: new Headers(), body: new Uint8Array() };
/** What each device has of its gateways, by relay and key. @type {WeakMap<object, Map<string, {found: Promise<Configuration>, usedUntil: number}>>} */
const known = new WeakMap();

/**
 * Send one request through the relay, and return the collector's reply; without a body only see to the gateway's keys. What
 * the relay says in its place is a reply of that status without a body: nothing that it writes counts as the collector's
 * word. Throws the client's DeliveryError, and SurveyRefused if the gateway's keys must not be used.
 * @param {Parts} parts @param {Via} via @param {string} path at the collector @param {string} [body] @returns {Promise<Reply>}
 */
export async function ask(parts, via, path, body) {
  for (let isFresh = false; ; isFresh = true) {
    const { keys, digest } = await configuration(parts, via, isFresh);
    if (body === undefined) return NOTHING;
    const { reply, open } = await send(parts, via, keys, paddedRequest(via, path, body));
    if (reply.status !== 200) {
      if (reply.status === 400 && !isFresh && readJson(reply.body)?.type === KEY_PROBLEM) continue;
      return { ...reply, body: NOTHING.body };
    }
    try {
      const inner = readResponse(await open(reply.body));
      return { status: inner.status, headers: new Headers(inner.lines), body: inner.body, keys: digest };
    } catch (cause) {
      throw new parts.DeliveryError("no answer from the collector (the relay gave another).", { cause });
    }
  }
}

async function send(
  /** @type {Parts} */ { exchange, timeoutMs, DeliveryError },
  /** @type {Via} */ { relay },
  /** @type {import("./keys.js").Key[]} */ keys,
  /** @type {Uint8Array} */ message,
) {
  const { sealed, open } = await encapsulate(keys[0], message).catch((cause) => {
    throw new DeliveryError("this browser cannot encrypt for the gateway.", { cause }); // or there is no key of X25519
  });
  return { reply: await exchange(relay + PATH, timeoutMs, MAX_REPLY_BYTES, sealed, "message/ohttp-req"), open };
}

/**
 * Return the gateway's keys: those that are at hand, or `isFresh` ones. What is at hand is used for an hour, as relays keep
 * it, and only while this device has seen no other: another page may have.
 * @returns {Promise<Configuration>}
 */
async function configuration(/** @type {Parts} */ parts, /** @type {Via} */ via, isFresh = false) {
  const gateways = known.get(parts.state) ?? new Map();
  known.set(parts.state, gateways);
  const name = `${via.relay} ${via.key}`;
  const held = isFresh ? undefined : gateways.get(name);
  if (held && performance.now() < held.usedUntil) {
    const found = await held.found;
    const seen = await parts.state.transact((transaction) => transaction.get("gateways", via.key));
    if (seen?.digest === found.digest && !seen.other && found.until >= today()) return found;
  }
  const fetched = { found: fetchKeys(parts, via), usedUntil: performance.now() + KEPT_MS };
  gateways.set(name, fetched);
  fetched.found.catch(() => gateways.get(name) === fetched && gateways.delete(name)); // they are asked for again
  return fetched.found;
}

async function fetchKeys(/** @type {Parts} */ parts, /** @type {Via} */ via) {
  const { DeliveryError } = parts;
  if (!RELAY.test(via.relay)) throw refused(parts, `the relay ${via.relay} is no https:// address`);
  const reply = await parts.exchange(`${via.relay}${PATH}/signed`, parts.timeoutMs, MAX_SIGNED_BYTES);
  let found;
  try {
    found = reply.status === 200 ? await readConfiguration(readJson(reply.body), via.key) : null;
  } catch (cause) {
    const { name, message } = /** @type {Error} */ (cause);
    throw refused(parts, name === "NotSupportedError" ? TOO_OLD : message, cause);
  }
  if (found === null) throw new DeliveryError(`the relay has no keys of the gateway (HTTP ${reply.status}).`);
  const seen = await parts.state.transact((transaction) => note(transaction, via.key, found));
  if (seen.other) {
    const both = `${seen.digest} and ${seen.other}`;
    throw refused(parts, `the gateway has two key configurations of one epoch (${seen.epoch}): ${both}`);
  }
  if (seen.epoch > found.epoch || found.until < today()) {
    throw new DeliveryError(`the gateway's keys are too old (epoch ${found.epoch}, until ${found.until}).`);
  }
  return found;
}

/** Why nothing is sent: also for people who look into the console, since reports wait in silence. */
function refused(
  /** @type {Parts} */ { SurveyRefused },
  /** @type {string} */ why,
  /** @type {unknown} */ cause = undefined,
) {
  console.warn(`sottovoce: ${why}. Nothing is sent.`);
  return new SurveyRefused(`${why}. Nothing is sent.`, { cause });
}

/** Note the newest keys of a gateway; of an epoch the first, and another if there is one. @returns {Promise<Seen>} */
async function note(
  /** @type {import("../src/state.js").Transaction} */ transaction,
  /** @type {string} */ key,
  /** @type {Configuration} */ { epoch, digest },
) {
  const seen = /** @type {Seen | undefined} */ (await transaction.get("gateways", key));
  if (seen && (epoch < seen.epoch || (epoch === seen.epoch && (digest === seen.digest || seen.other)))) return seen;
  const next = seen && epoch === seen.epoch ? { ...seen, other: digest } : { key, epoch, digest };
  await transaction.put("gateways", next);
  return next;
}
