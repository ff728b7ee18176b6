/**
 * Delivery in the background: sends what waits, and never gets in the page's way.
 *
 * A report leaves the outbox only after the collector has acknowledged it, and is always sent as the same bytes, so a
 * crash at any moment costs a repeat, which the collector knows by its id. Every report has a request of its own, though a
 * browser may send several over one connection.
 */

import { DeliveryError } from "./errors.js";
import { postAndLeave, postReport } from "./exchange.js";
import { BACKOFF_CAP_MS, backoffMs, recordVerdict, waitingReports } from "./outbox.js";
import { MAX_HOLD_MS, judge } from "./verdict.js";

/** The longest random delay before the first attempt of a report: a week. */
export const MAX_DELAY_MS = 604_800_000;

const LOCK = "sottovoce-delivery";

/** @typedef {import("./outbox.js").Waiting} Waiting */

export class Delivery {
  #isClosed = false;
  #isEager = false;
  /** @type {Promise<void> | null} what runs, and looks at all that waits once more before it ends */
  #running = null;
  #nAsked = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #nFaults = 0;
  #pausedUntil = 0; // after a fault of the state; milliseconds since 1970
  #onItsWay = ""; // the receipt of the report whose request runs, which outlives the page
  /** @type {Map<string, Waiting>} what could be sent as the page closes */
  #inHand = new Map();

  /** @param {Promise<import("./state.js").State>} state @param {number} timeoutMs of one exchange */
  constructor(state, timeoutMs) {
    this.state = state;
    this.timeoutMs = timeoutMs;
    globalThis.addEventListener?.("online", this.#wakeEagerly);
    globalThis.addEventListener?.("pagehide", this.#leave);
  }

  /** Have the outbox looked at; `isEager` cuts back-off short, but no wait that the collector asked for. */
  wake(isEager = false) {
    this.#isEager ||= isEager;
    this.#nAsked += 1;
    this.#running ??= this.#run();
    return this.#running;
  }

  /** Know what waits, so that it can be sent as the page closes. @param {Waiting[]} waiting */
  hold(waiting) {
    const inHand = waiting.filter(({ receipt }) => receipt !== this.#onItsWay);
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
        const dueMs = await this.#nextDueMs();
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
    clearTimeout(this.#timer);
    globalThis.removeEventListener?.("online", this.#wakeEagerly);
    globalThis.removeEventListener?.("pagehide", this.#leave);
  }

  #wakeEagerly = () => void this.wake(true);

  /** The page goes: whatever may be sent now, and is not on its way, is sent by a request that outlives it. */
  #leave = () => {
    for (const report of this.#inHand.values()) {
      if (waitOf(report, true) === 0) postAndLeave(report.url, report.surveyId, report.body);
    }
  };

  async #run() {
    clearTimeout(this.#timer);
    let dueMs = null;
    try {
      for (let nServed = -1; nServed < this.#nAsked && !this.#isClosed;) {
        nServed = this.#nAsked;
        const isEager = this.#isEager;
        this.#isEager = false;
        if (isEager || until(this.#pausedUntil, BACKOFF_CAP_MS) === 0) {
          await this.#attemptAlone(isEager);
          this.#nFaults = 0;
        }
        dueMs = await this.#nextDueMs();
      }
    } catch (fault) {
      this.#onItsWay = "";
      this.#nFaults += 1;
      dueMs = backoffMs(this.#nFaults);
      this.#pausedUntil = Date.now() + dueMs;
      const { name } = /** @type {Error} */ (fault);
      if (!this.#isClosed) console.warn(`sottovoce: reports wait, delivery failed (${name}).`);
    }
    this.#running = null; // at once with the last look at what was asked: whoever asks now is not overlooked
    if (dueMs !== null && !this.#isClosed) {
      this.#timer = setTimeout(() => void this.wake(), Math.min(dueMs, BACKOFF_CAP_MS));
      unref(this.#timer);
    }
  }

  /** Attempt what is due, one page at a time: else each would send all that waits. */
  async #attemptAlone(/** @type {boolean} */ isEager) {
    const locks = (await this.state).isDurable ? globalThis.navigator?.locks : undefined;
    await (locks === undefined ? this.#attemptDue(isEager) : locks.request(LOCK, () => this.#attemptDue(isEager)));
  }

  async #attemptDue(/** @type {boolean} */ isEager) {
    const failed = new Set();
    for (const report of await this.#waiting()) {
      if (this.#isClosed || failed.has(report.url) || waitOf(report, isEager) > 0) continue;
      this.#inHand.delete(report.receipt);
      this.#onItsWay = report.receipt;
      const verdict = await this.#ask(report);
      await (await this.state).transact((transaction) => recordVerdict(transaction, report.receipt, verdict));
      this.#onItsWay = "";
      if (verdict.kind === "again") failed.add(report.url); // leave its collector alone
    }
  }

  /** @returns {Promise<import("./verdict.js").Verdict>} */
  async #ask(/** @type {Waiting} */ report) {
    try {
      return judge(await postReport(report.url, report.surveyId, report.body, this.timeoutMs), Date.now());
    } catch (fault) {
      if (fault instanceof DeliveryError) return { kind: "again", holdMs: null };
      throw fault;
    }
  }

  async #waiting() {
    const waiting = await (await this.state).transact(waitingReports);
    this.hold(waiting);
    return waiting;
  }

  /** Milliseconds to the next attempt; null when nothing waits. */
  async #nextDueMs() {
    const waiting = await this.#waiting();
    if (waiting.length === 0) return null;
    const pauseMs = until(this.#pausedUntil, BACKOFF_CAP_MS);
    return Math.max(pauseMs, Math.min(...waiting.map((report) => waitOf(report, false))));
  }
}

/** Milliseconds until a report is due; its own delay is over with its first attempt. */
function waitOf(/** @type {Waiting} */ report, /** @type {boolean} */ isEager) {
  const waitMs = isEager && !report.isHeld ? 0 : until(report.notBefore, MAX_HOLD_MS + BACKOFF_CAP_MS);
  return Math.max(waitMs, report.nAttempts > 0 ? 0 : until(report.delayUntil, MAX_DELAY_MS));
}

/** Milliseconds until a moment; none where it is over, nor where it is so far off that a clock was ahead that set it. */
function until(/** @type {number} */ moment, /** @type {number} */ furthestMs) {
  const waitMs = moment - Date.now();
  return waitMs > furthestMs ? 0 : Math.max(0, waitMs);
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

/** In node, a timer must not keep a program alive that has nothing else to do. */
function unref(/** @type {any} */ timer) {
  timer.unref?.();
}
