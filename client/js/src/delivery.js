/**
 * Delivery in the background: sends what waits, and never gets in the page's way.
 *
 * A report leaves the outbox only after the collector has acknowledged it, and is always sent as the same bytes, so a
 * crash at any moment costs a repeat, which the collector knows by its id. Every report has a request of its own, though a
 * browser may send several over one connection. No address waits for another.
 */

import { tell } from "./callbacks.js";
import { UNKNOWN_CAP_MS, recordVerdict, waitingReports } from "./outbox.js";
import { Turns, until } from "./turns.js";
import { MAX_HOLD_MS, judge } from "./verdict.js";
import { post } from "./way.js";

/** The longest random delay before the first attempt of a report: a week. */
export const MAX_DELAY_MS = 604_800_000;

const LOCK = "sottovoce-delivery";

/** @typedef {import("./outbox.js").Waiting} Waiting */
/** @typedef {import("./state.js").Transaction} Transaction */

export class Delivery {
  #isClosed = false;
  #look = new Turns((isEager) => this.#lookAround(isEager));
  /** @type {Map<string, Turns>} what is sent, by the address that it is sent to */
  #lanes = new Map();
  /** @type {Set<string>} the receipts of the reports whose requests run, which outlive the page */
  #onTheirWay = new Set();
  /** @type {Map<string, Waiting>} what could be sent as the page closes */
  #inHand = new Map();

  /**
   * @param {Promise<import("./state.js").State>} state @param {number} timeoutMs of one exchange
   * @param {import("./callbacks.js").Callbacks} [callbacks]
   */
  constructor(state, timeoutMs, callbacks = {}) {
    this.state = state;
    this.timeoutMs = timeoutMs;
    this.callbacks = callbacks;
    globalThis.addEventListener?.("online", this.#wakeEagerly);
    globalThis.addEventListener?.("pagehide", this.#leave);
  }

  /**
   * Have the outbox looked at, and wait until what is due was attempted; `isEager` cuts back-off short, but no wait that
   * the collector asked for.
   */
  async wake(isEager = false) {
    await this.#look.wake(isEager);
    await Promise.all([...this.#lanes.values()].map((lane) => lane.running));
  }

  /** Know what waits, so that it can be sent as the page closes. @param {Waiting[]} waiting */
  hold(waiting) {
    const inHand = waiting.filter(({ receipt }) => !this.#onTheirWay.has(receipt));
    this.#inHand = new Map(inHand.map((report) => [report.receipt, report]));
  }

  /**
   * Try at once and wait for at most so long; true when nothing waits any more.
   * @param {number} timeoutMs
   */
  async flush(timeoutMs) {
    const deadline = Date.now() + timeoutMs;
    const pause = pauses();
    const isOver = pause.for(timeoutMs);
    try {
      for (let isEager = true; (await this.#waiting()).length > 0; isEager = false) {
        await Promise.race([this.wake(isEager), isOver]);
        const dueMs = this.#dueMs(await this.#waiting());
        if (dueMs === null) return true;
        if (Date.now() + dueMs >= deadline || this.#isClosed) return false;
        await Promise.race([pause.for(dueMs), isOver]);
      }
      return true;
    } finally {
      pause.end();
    }
  }

  close() {
    this.#isClosed = true;
    for (const turns of [this.#look, ...this.#lanes.values()]) turns.close();
    globalThis.removeEventListener?.("online", this.#wakeEagerly);
    globalThis.removeEventListener?.("pagehide", this.#leave);
  }

  #wakeEagerly = () => void this.wake(true);

  /**
   * The page goes: whatever may be sent now, and is not on its way, is sent by a request that outlives it. What must be
   * encrypted first waits for the next visit: there is no time for that.
   */
  #leave = () => {
    for (const report of this.#inHand.values()) {
      if (waitOf(report, true) === 0) void this.#ask(report); // it is sent again another day
    }
  };

  /** Have every address looked after that something waits for. */
  async #lookAround(/** @type {boolean} */ isEager) {
    const urls = new Set((await this.#waiting()).map((report) => report.url));
    for (const url of this.#isClosed ? [] : urls) void this.#laneOf(url).wake(isEager);
    return null;
  }

  #laneOf(/** @type {string} */ url) {
    const lane = this.#lanes.get(url) ?? new Turns((isEager) => this.#deliverTo(url, isEager));
    this.#lanes.set(url, lane);
    return lane;
  }

  /** Attempt what is due, one page at a time: else each would send all that waits. Return when the next one is. */
  async #deliverTo(/** @type {string} */ url, /** @type {boolean} */ isEager) {
    const locks = (await this.state).isDurable ? globalThis.navigator?.locks : undefined;
    const attempt = () => this.#attemptDue(url, isEager);
    await (locks === undefined ? attempt() : locks.request(`${LOCK} ${url}`, attempt));
    return this.#dueMs((await this.#waiting()).filter((report) => report.url === url));
  }

  async #attemptDue(/** @type {string} */ url, /** @type {boolean} */ isEager) {
    for (const report of await this.#waiting()) {
      if (this.#isClosed || report.url !== url || waitOf(report, isEager) > 0) continue;
      const { kind, holdMs = null } = await this.#attempt(report);
      if (kind === "again" || holdMs !== null) return; // leave the collector alone
    }
  }

  async #attempt(/** @type {Waiting} */ report) {
    this.#inHand.delete(report.receipt);
    this.#onTheirWay.add(report.receipt);
    try {
      const verdict = await this.#ask(report);
      const record = (/** @type {Transaction} */ transaction) => recordVerdict(transaction, report.receipt, verdict);
      const outcome = await (await this.state).transact(record);
      if (outcome !== null) void tell(this.callbacks, outcome);
      return verdict;
    } finally {
      this.#onTheirWay.delete(report.receipt);
    }
  }

  /** @returns {Promise<import("./verdict.js").Verdict>} */
  async #ask(/** @type {Waiting} */ report) {
    try {
      return judge(await post(this.state, this.timeoutMs, report, "reports", report.body), Date.now());
    } catch {
      return { kind: "again", holdMs: null, isAnswered: false };
    }
  }

  async #waiting() {
    const waiting = await (await this.state).transact(waitingReports);
    this.hold(waiting);
    return waiting;
  }

  /** Milliseconds to the next attempt; null when nothing waits. */
  #dueMs(/** @type {Waiting[]} */ waiting) {
    if (waiting.length === 0) return null;
    const pauseOf = (/** @type {Waiting} */ { url }) => this.#lanes.get(url)?.pauseMs ?? 0;
    const dueMs = waiting.map((report) => Math.max(pauseOf(report), waitOf(report, false)));
    return Math.max(this.#look.pauseMs, Math.min(...dueMs));
  }
}

/** Milliseconds until a report is due; its own delay is over with its first attempt. */
function waitOf(/** @type {Waiting} */ report, /** @type {boolean} */ isEager) {
  const waitMs = isEager && !report.isHeld ? 0 : until(report.notBefore, MAX_HOLD_MS + UNKNOWN_CAP_MS);
  return Math.max(waitMs, report.nAttempts > 0 ? 0 : until(report.delayUntil, MAX_DELAY_MS));
}

/** Pauses that somebody waits for: until they end, they keep a program of node alive. */
function pauses() {
  /** @type {ReturnType<typeof setTimeout>[]} */
  const timers = [];
  return {
    for: (/** @type {number} */ timeMs) => new Promise((resolve) => timers.push(setTimeout(resolve, timeMs))),
    end: () => timers.forEach(clearTimeout),
  };
}
