/** Work in the background: done when it is asked for, never twice at once, and again when it is due or has failed. */

import { drawUpTo } from "./coins.js";

const BACKOFF_BASE_MS = 1000;
/** The longest back-off; it has full jitter. */
export const BACKOFF_CAP_MS = 300_000;

/** Exponential, with full jitter (Brooker 2015): uniform on [0, min(cap, base 2^(n - 1))]. @param {number} nFailed */
export function backoffMs(nFailed, capMs = BACKOFF_CAP_MS) {
  return drawUpTo(Math.min(capMs, BACKOFF_BASE_MS * 2 ** Math.min(nFailed - 1, 30)));
}

/**
 * Milliseconds until a moment; none where it is over, nor where it is so far off that a clock was ahead that set it.
 * @param {number} moment @param {number} furthestMs
 */
export function until(moment, furthestMs) {
  const waitMs = moment - Date.now();
  return waitMs > furthestMs ? 0 : Math.max(0, waitMs);
}

export class Turns {
  #work;
  #isClosed = false;
  #isEager = false;
  /** @type {Promise<void> | null} what runs, and looks at what was asked once more before it ends */
  #running = null;
  #nAsked = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #nFaults = 0;
  #pausedUntil = 0; // after a fault; milliseconds since 1970

  /** @param {(isEager: boolean) => Promise<number | null>} work returns when it is due again in ms, null where not */
  constructor(work) {
    this.#work = work;
  }

  /** Have the work done; `isEager` cuts the pause after a fault short. Never rejects. */
  wake(isEager = false) {
    this.#isEager ||= isEager;
    this.#nAsked += 1;
    this.#running ??= this.#run();
    return this.#running;
  }

  /** What runs now, if anything does. */
  get running() {
    return this.#running;
  }

  /** Milliseconds that are left of the pause after a fault. */
  get pauseMs() {
    return until(this.#pausedUntil, BACKOFF_CAP_MS);
  }

  close() {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #run() {
    clearTimeout(this.#timer);
    let dueMs = null;
    await null; // it is known to run before it can end
    try {
      for (let nServed = -1; nServed < this.#nAsked && !this.#isClosed;) {
        nServed = this.#nAsked;
        const isEager = this.#isEager;
        this.#isEager = false;
        dueMs = isEager || this.pauseMs === 0 ? await this.#attempt(isEager) : this.pauseMs;
      }
    } catch (fault) {
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

  async #attempt(/** @type {boolean} */ isEager) {
    const dueMs = await this.#work(isEager);
    this.#nFaults = this.#pausedUntil = 0;
    return dueMs;
  }
}

/** In node, a timer must not keep a program alive that has nothing else to do. */
function unref(/** @type {any} */ timer) {
  timer.unref?.();
}
