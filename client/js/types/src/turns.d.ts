/** Exponential, with full jitter (Brooker 2015): uniform on [0, min(cap, base 2^(n - 1))]. @param {number} nFailed */
export function backoffMs(nFailed: number, capMs?: number): number;
/**
 * Milliseconds until a moment; none where it is over, nor where it is so far off that a clock was ahead that set it.
 * @param {number} moment @param {number} furthestMs
 */
export function until(moment: number, furthestMs: number): number;
/** The longest back-off; it has full jitter. */
export const BACKOFF_CAP_MS: 300000;
export class Turns {
    /** @param {(isEager: boolean) => Promise<number | null>} work returns when it is due again in ms, null where not */
    constructor(work: (isEager: boolean) => Promise<number | null>);
    /** Have the work done; `isEager` cuts the pause after a fault short. Never rejects. */
    wake(isEager?: boolean): Promise<void>;
    /** What runs now, if anything does. */
    get running(): Promise<void> | null;
    /** Milliseconds that are left of the pause after a fault. */
    get pauseMs(): number;
    close(): void;
    #private;
}
