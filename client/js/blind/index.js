/**
 * Blind invitations: a device trades its invitation for a token that the collector signs and cannot see (RFC 9474,
 * RSABSSA-SHA384-PSS-Randomized, 2,048 bits).
 *
 * It is loaded only where a survey asks for it, as `blind.min.js`, and holds no class of the client's: errors that a page
 * can tell apart come from there. What a wish is kept in, a record of `secrets` of its own, is gone with the survey's.
 */

import { base64, concat } from "../src/bytes.js";
import { osBytes } from "../src/coins.js";
import { problemOf, readJson } from "../src/exchange.js";
import { sayAll, sayTraded, tokenOf } from "../form/blind.js";

const SALT_BYTES = 48;
const HASH_BYTES = 48;
const RANDOM_BYTES = 32;
const ID_BYTES = 16;
const TOKEN_CHARACTERS = 384;
const MAX_KEYS = 64;
/** By the code of a refusal: what the invitation is. */
const STATES = new Map([
  ["invitation_used", "used"],
  ["invitation_invalid", "invalid"],
]);
const KEYS_EXPECTED = "a list of RSA moduli of 2,048 bits, one a cell";

/**
 * What a survey has of this file: its `keys`, of every wave of every stratum; the `longest` that admits a report; `check`
 * throws for a survey without keys.
 * @typedef {{keys: readonly string[], longest: Admission, trade: typeof trade, tokenOf: typeof tokenOf,
 *   sayAll: typeof sayAll, sayTraded: typeof sayTraded,
 *   check: (error: typeof import("../src/errors.js").SurveyRefused) => void}} OfSurvey
 */
/** @typedef {import("../src/client.js").SurveyClient} Client */
/** @typedef {import("../src/survey.js").Survey} Survey */
/** @typedef {import("../src/state.js").Transaction} Transaction */
/**
 * A token that is wanted, or there. `stratum`: 0 until the collector said it; `salt` and `factor` are kept before they are
 * used, and with the invitation they could join the token to it: they go as it comes.
 * @typedef {{random: Uint8Array, stratum: number, invitation: string, salt: Uint8Array | null, factor: bigint,
 *   token: string}} Wish
 */
/** @typedef {{fingerprint: string, surveyId: string, invitation: string, wishes: {[wave: number]: Wish}}} Kept */
/**
 * What the client lends: `post` posts to an address of the survey's, obliviously if it is so delivered; `ended`
 * makes the fault of a device that takes part no longer.
 * @typedef {{transact: <Result>(work: (transaction: Transaction) => Promise<Result>) => Promise<Result>,
 *   post: (last: string, sent: object) => Promise<import("../src/exchange.js").Reply>,
 *   ended: typeof import("../src/draft.js").ended,
 *   DeliveryError: typeof import("../src/errors.js").DeliveryError,
 *   InvitationError: typeof import("../src/errors.js").InvitationError}} Lent
 */
/** What admits a report. @typedef {{token?: string, stratum?: number}} Admission */
/** What came: `id` is the report's. @typedef {{state: string, id?: Uint8Array, admission?: Admission}} Traded */

/** The record of `secrets` that has a survey's wishes. @param {Survey} survey */
const placeOf = ({ fingerprint }) => `${fingerprint}:tokens`;

/**
 * Take a survey's keys: moduli of 2,048 bits, so the first bit is set, and the last; none where it is no published one.
 * @param {import("../src/documents.js").Fields} fields
 * @param {{invited: boolean, waves: number, strata: readonly string[]}} survey @returns {readonly string[]}
 */
function readKeys(fields, { invited, waves, strata }) {
  fields.oneOf("invitations", ["blind"]);
  if (!invited) throw fields.fail("invitations", '"blind" needs invited = true. Add that, or leave invitations out.');
  const nKeys = waves * (strata.length || 1);
  const isKey = (/** @type {unknown} */ key) => typeof key === "string" && /^[g-z\d_-][\w-]{340}[Qw]$/.test(key);
  const areKeys = (/** @type {any} */ value) =>
    Array.isArray(value) &&
    value.length === nKeys &&
    nKeys <= MAX_KEYS &&
    value.every(isKey) &&
    new Set(value).size === nKeys;
  return fields.has("token_keys") ? fields.take("token_keys", KEYS_EXPECTED, areKeys) : [];
}

/**
 * Return what a survey has of this file, where it says that its invitations are blind. Throws SurveyError.
 * @param {import("../src/documents.js").Fields} fields @param {Survey} survey that is not read to its end @returns {OfSurvey}
 */
export function of(fields, survey) {
  const keys = readKeys(fields, survey);
  const longest = {
    token: "a".repeat(TOKEN_CHARACTERS),
    ...(survey.strata.length > 0 && { stratum: survey.strata.length }),
  };
  const check = (/** @type {typeof import("../src/errors.js").SurveyRefused} */ SurveyRefused) => {
    if (keys.length > 0) return;
    throw new SurveyRefused(`survey ${survey.id} is refused: it has blind invitations, and names no keys for them.`);
  };
  return Object.freeze({ keys, longest, check, trade, tokenOf, sayAll, sayTraded });
}

const keysOf = (/** @type {Survey} */ { blind }) => blind?.keys ?? [];

/**
 * Return the token of a wave in a blind survey, and the id that its report gets of it; fetched if it is not there. A
 * survey that is not published has no keys. With `isNeeded` it throws InvitationError where there is none to have, and
 * asks for none where the wave is answered: that is refused soon. Throws ParticipationEnded.
 * @param {Client} client @param {number} wave @param {boolean} isNeeded
 * @param {string | null} given the invitation that the client was given @param {Lent} lent @returns {Promise<Traded>}
 */
async function trade(client, wave, isNeeded, given, lent) {
  const survey = await client.survey();
  const isMade = isNeeded && (await client.answered()).some((receipt) => receipt.wave === wave);
  if (isMade || keysOf(survey).length === 0) return { state: "unused" };
  const lastWave = Math.max(...(await client.waves()));
  const traded = await alone(client, wave, () => fetchToken(survey, wave, lastWave, given, lent));
  if (!isNeeded || traded.state === "unused") return traded;
  const why = traded.state === "none" ? "invitation must be given" : `the invitation is ${traded.state}`;
  throw new lent.InvitationError(`survey ${survey.id} is for invited people; ${why}.`);
}

/** By client, the trades that are under way, by wave. @type {WeakMap<Client, Map<number, Promise<Traded>>>} */
const underWay = new WeakMap();

/** Return what a client's trade of a wave brings; one that is under way is not begun again. */
function alone(/** @type {Client} */ client, /** @type {number} */ wave, /** @type {() => Promise<Traded>} */ work) {
  const trades = underWay.get(client) ?? new Map();
  underWay.set(client, trades);
  const trade = trades.get(wave) ?? work().finally(() => trades.delete(wave));
  trades.set(wave, trade);
  return trade;
}

/**
 * Return a wave's token, fetched now if it is not there: `state` is "unused" then. Else it is what the collector says of
 * the invitation, "used" or "invalid", or "none" where there is none. Throws DeliveryError where no good reply comes.
 * @param {Survey} survey @param {number} wave @param {number} lastWave the device's @param {string | null} given
 * @param {Lent} lent @returns {Promise<Traded>}
 */
async function fetchToken(survey, wave, lastWave, given, lent) {
  const keys = keysOf(survey).filter((_, index) => index % survey.waves === wave - 1);
  let wish = await begin(survey, wave, given, keys, lent);
  if (wish === null) return { state: "none" };
  const message = messageOf(wish.random, survey.fingerprint, wave);
  const id = (await digest("SHA-256", message)).slice(0, ID_BYTES);
  if (wish.token === "" && wish.stratum === 0) {
    const said = await ask(survey, lent, "invitations/check", { invitation: wish.invitation, wave });
    const { state, stratum } = said.document ?? {};
    if (said.status === 200 && state === "invalid") return drop(survey, wave, wish, state, lent);
    if (!(Number.isInteger(stratum) && stratum >= 1 && stratum <= keys.length)) {
      throw refused(said, "it names no stratum of the survey", lent);
    }
    wish = await keep(survey, wave, await placed(wish, stratum, keys), lent);
  }
  if (wish.token === "") {
    const modulus = readKey(keys[wish.stratum - 1]);
    const { salt, factor } = /** @type {{salt: Uint8Array, factor: bigint}} */ (wish);
    const hidden = await blind(message, salt, factor, modulus);
    const said = await ask(survey, lent, "invitations/token", {
      invitation: wish.invitation,
      wave,
      blinded: toText(hidden),
    });
    const state = STATES.get(said.code);
    if (state) return drop(survey, wave, wish, state, lent);
    const signed = fromText(said.status === 200 ? said.document?.signature : undefined);
    const signature = signed && (await finish(message, signed, factor, modulus, keys[wish.stratum - 1]));
    if (!signature) throw refused(said, "its signature does not fit the survey's key", lent);
    const token = toText(concat(wish.random, signature));
    wish = await keep(
      survey,
      wave,
      { ...wish, invitation: "", salt: null, factor: 0n, token },
      lent,
      wave === lastWave,
    );
  }
  const stratum = survey.strata.length > 0 ? { stratum: wish.stratum } : {};
  return { state: "unused", id, admission: { token: wish.token, ...stratum } };
}

/** Return a reply's status and its JSON, with the `code` of a problem. Asks nothing once the wish is forgotten. */
async function ask(
  /** @type {Survey} */ survey,
  /** @type {Lent} */ lent,
  /** @type {string} */ last,
  /** @type {object} */ sent,
) {
  await lent.transact((transaction) => keptOf(transaction, survey, lent));
  const reply = await lent.post(last, sent);
  return { status: reply.status, document: readJson(reply.body), code: problemOf(reply).code };
}

/** Return the wish of a wave, kept from now on; null where nobody has an invitation. */
async function begin(
  /** @type {Survey} */ survey,
  /** @type {number} */ wave,
  /** @type {string | null} */ given,
  /** @type {string[]} */ keys,
  /** @type {Lent} */ lent,
) {
  const random = await osBytes(RANDOM_BYTES);
  const bare = { random, stratum: 0, invitation: "", salt: null, factor: 0n, token: "" };
  const fresh = keys.length === 1 ? await placed(bare, 1, keys) : bare;
  return lent.transact(async (transaction) => {
    const { wishes, ...kept } = (await transaction.get("secrets", placeOf(survey))) ?? {
      fingerprint: placeOf(survey),
      surveyId: survey.id,
      wishes: {},
    };
    const known = wishes[wave];
    if (known?.token) return known;
    if (await hasEnded(transaction, survey)) throw lent.ended(survey);
    const invitation = given ?? known?.invitation ?? kept.invitation;
    if (!invitation) return null;
    if (known?.invitation === invitation) return known;
    const wish = { ...fresh, random: known?.random ?? random, invitation };
    await transaction.put("secrets", { ...kept, invitation, wishes: { ...wishes, [wave]: wish } });
    return wish;
  });
}

/** Forget a wish that gets no token, with its invitation: it may be of another survey. Return why, as `Traded`. */
function drop(
  /** @type {Survey} */ survey,
  /** @type {number} */ wave,
  /** @type {Wish} */ wish,
  /** @type {string} */ state,
  /** @type {Lent} */ lent,
) {
  return lent.transact(async (transaction) => {
    const { wishes, ...kept } = await keptOf(transaction, survey, lent);
    const { [wave]: there, ...others } = wishes;
    if (there?.token === "" && there.invitation === wish.invitation) {
      const invitation = kept.invitation === wish.invitation ? "" : kept.invitation;
      await transaction.put("secrets", { ...kept, invitation, wishes: others });
    }
    return { state };
  });
}

/** Keep a wish as it is now; with the last token every invitation goes. @returns {Promise<Wish>} */
function keep(
  /** @type {Survey} */ survey,
  /** @type {number} */ wave,
  /** @type {Wish} */ wish,
  /** @type {Lent} */ lent,
  isLast = false,
) {
  return lent.transact(async (transaction) => {
    const kept = await keptOf(transaction, survey, lent);
    const there = kept.wishes[wave];
    if (there?.token || (there && there.stratum > 0 && !wish.token)) return there; // another page was faster
    const wishes = { ...kept.wishes, [wave]: wish };
    const whole = Object.entries(wishes).filter(([, { token }]) => token);
    const next = isLast ? { invitation: "", wishes: Object.fromEntries(whole) } : { wishes };
    await transaction.put("secrets", { ...kept, ...next });
    return wish;
  });
}

/** Whether a device that has made a report of a survey has forgotten the secret of its noise. */
async function hasEnded(/** @type {Transaction} */ transaction, /** @type {Survey} */ { fingerprint }) {
  const isKept = await transaction.get("secrets", fingerprint);
  return !isKept && (await transaction.all("ledger")).some((entry) => entry.fingerprint === fingerprint);
}

/**
 * Return what is kept of a survey whose token is being fetched. Once this page or another forgets the survey it is gone,
 * and stays so: throws ParticipationEnded.
 * @returns {Promise<Kept>}
 */
async function keptOf(/** @type {Transaction} */ transaction, /** @type {Survey} */ survey, /** @type {Lent} */ lent) {
  const kept = await transaction.get("secrets", placeOf(survey));
  if (kept) return kept;
  throw lent.ended(survey);
}

/** Return a wish with its stratum, and what blinds it. */
async function placed(/** @type {Wish} */ wish, /** @type {number} */ stratum, /** @type {string[]} */ keys) {
  const modulus = readKey(keys[stratum - 1]);
  let factor = 0n;
  while (factor === 0n || factor >= modulus || inverse(factor, modulus) === 0n) {
    factor = toNumber(await osBytes(fromText(keys[stratum - 1]).length));
  }
  return { ...wish, stratum, salt: await osBytes(SALT_BYTES), factor };
}

function refused(
  /** @type {{status: number, code: string}} */ { status, code },
  /** @type {string} */ why,
  /** @type {Lent} */ lent,
) {
  const said = status === 200 ? why : `HTTP ${status}, ${code}`;
  return new lent.DeliveryError(`the collector gave no token (${said}).`);
}

/**
 * Return the message of a token.
 * @param {Uint8Array} random @param {string} fingerprint @param {number} wave @returns {Uint8Array}
 */
export function messageOf(random, fingerprint, wave) {
  const bytes = Uint8Array.from(fingerprint.match(/../g) ?? [], (digits) => parseInt(digits, 16));
  return concat(random, bytes, Uint8Array.of(wave >> 8, wave & 255));
}

/**
 * Return what the collector is to sign: RFC 9474, 4.2, of a message, with a salt and a factor.
 * @param {Uint8Array} message @param {Uint8Array} salt @param {bigint} factor @param {bigint} modulus
 * @returns {Promise<Uint8Array>}
 */
export async function blind(message, salt, factor, modulus) {
  const encoded = toNumber(await encode(message, salt, modulus.toString(2).length - 1));
  return toBytes((encoded * power(factor, modulus)) % modulus, modulus);
}

/**
 * Return the signature of a blind one: RFC 9474, 4.4; null where it does not fit the key, by WebCrypto.
 * @param {Uint8Array} message @param {Uint8Array} signed @param {bigint} factor @param {bigint} modulus
 * @param {string} key the modulus as the survey names it @returns {Promise<Uint8Array | null>}
 */
export async function finish(message, signed, factor, modulus, key) {
  const signature = toBytes((toNumber(signed) * inverse(factor, modulus)) % modulus, modulus);
  const jwk = { kty: "RSA", n: key, e: "AQAB", alg: "PS384" };
  const kind = { name: "RSA-PSS", hash: "SHA-384" };
  const imported = await crypto.subtle.importKey("jwk", jwk, kind, false, ["verify"]);
  const how = { name: "RSA-PSS", saltLength: SALT_BYTES };
  return (await crypto.subtle.verify(how, imported, given(signature), given(message))) ? signature : null;
}

/** EMSA-PSS-ENCODE with SHA-384 (RFC 8017, 9.1.1), of at most `nBits` bits. */
async function encode(/** @type {Uint8Array} */ message, /** @type {Uint8Array} */ salt, /** @type {number} */ nBits) {
  const nBytes = Math.ceil(nBits / 8);
  const inner = await digest("SHA-384", message);
  const hashed = await digest("SHA-384", concat(new Uint8Array(8), inner, salt));
  const block = new Uint8Array(nBytes - HASH_BYTES - 1);
  block.set(concat(Uint8Array.of(1), salt), block.length - salt.length - 1);
  for (let at = 0; at < block.length; at += HASH_BYTES) {
    const mask = await digest("SHA-384", concat(hashed, Uint8Array.of(0, 0, 0, at / HASH_BYTES)));
    for (let index = at; index < Math.min(at + HASH_BYTES, block.length); index += 1) block[index] ^= mask[index - at];
  }
  block[0] &= 255 >> (8 * nBytes - nBits);
  return concat(block, hashed, Uint8Array.of(0xbc));
}

/** Return a number to the power of e. */
function power(/** @type {bigint} */ number, /** @type {bigint} */ modulus) {
  let result = number;
  for (let bit = 0; bit < 16; bit += 1) result = (result * result) % modulus;
  return (result * number) % modulus; // e = 2^16 + 1
}

/** Return the inverse of a number by Euclid's algorithm; 0n where it has none. @param {bigint} number @param {bigint} modulus */
export function inverse(number, modulus) {
  let [left, right, before, after] = [modulus, number, 0n, 1n];
  while (right > 0n) {
    const times = left / right;
    [left, right, before, after] = [right, left - times * right, after, before - times * after];
  }
  return left === 1n ? (before + modulus) % modulus : 0n;
}

async function digest(/** @type {string} */ name, /** @type {Uint8Array} */ bytes) {
  return new Uint8Array(await crypto.subtle.digest(name, given(bytes)));
}

/** Newer TypeScript wants an ArrayBuffer here. */
function given(/** @type {Uint8Array} */ bytes) {
  return /** @type {Uint8Array<ArrayBuffer>} */ (bytes);
}

function toNumber(/** @type {Uint8Array} */ bytes) {
  return BigInt(`0x${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`);
}

/** Return a number in as many bytes as the modulus has. */
function toBytes(/** @type {bigint} */ number, /** @type {bigint} */ modulus) {
  const nDigits = 2 * Math.ceil(modulus.toString(2).length / 8);
  const digits = number.toString(16).padStart(nDigits, "0");
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** @param {string} key a public key, as a survey names it */
export const readKey = (key) => toNumber(fromText(key));

/** Return bytes in base64url without padding. @param {Uint8Array} bytes */
export function toText(bytes) {
  return base64(bytes).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** @param {any} text base64url @returns {any} bytes; null for what is none */
function fromText(text) {
  if (typeof text !== "string" || !/^[\w-]+$/.test(text) || text.length % 4 === 1) return null;
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
}
