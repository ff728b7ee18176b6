/**
 * Reports that were delivered, as they were sent: kept for some days, to be sent again if their collector loses them.
 *
 * Only where the page asks for it (`resendDays`); usually nothing is kept. Each day that the device's clock shows anew takes
 * one of a report's days, and a jump ahead all that it passes: a clock that is set back prolongs nothing for ever. What is
 * sent again has the days that are left, also while it waits. Run inside of a transaction.
 */

import { DAY_MS, releaseInvitations, today } from "./ledger.js";

/** @typedef {import("./outbox.js").Kept} Kept */
/** @typedef {import("./state.js").Transaction} Transaction */

/** Keep a report that is delivered, if its page asked for that. @param {Transaction} transaction @param {Kept} report */
export async function keepSent(transaction, report) {
  if (report.daysLeft) await transaction.put("sent", { seen: today(), ...report });
}

/** Count the days that have passed, and drop what has none left. @param {Transaction} transaction */
export function sweep(transaction) {
  const day = today();
  return change(transaction, (report) => {
    const { seen = day, daysLeft = 0 } = report;
    if (seen === day) return report; // or not delivered yet
    const left = daysLeft - Math.max(1, (Date.parse(day) - Date.parse(seen)) / DAY_MS);
    return left > 0 ? { ...report, daysLeft: left, seen: day } : null;
  });
}

/**
 * Forget reports that are kept, also those that wait again; keep none of the others that wait once it is delivered.
 * Refused ones stay, and are shown.
 * @param {Transaction} transaction @param {(report: Kept) => boolean} isMeant
 */
export function dropSent(transaction, isMeant) {
  return change(transaction, (report) => {
    if (report.problem !== null || !isMeant(report)) return report;
    return report.seen ? null : { ...report, daysLeft: 0 };
  });
}

/** Replace reports, waiting ones too, by what `decide` returns, and delete those of which that is null. */
async function change(/** @type {Transaction} */ transaction, /** @type {(report: Kept) => Kept | null} */ decide) {
  let isChanged = false;
  for (const store of /** @type {const} */ (["sent", "outbox"])) {
    for (const report of /** @type {Kept[]} */ (await transaction.all(store))) {
      const decided = decide(report);
      if (decided === report) continue;
      await (decided ? transaction.put(store, decided) : transaction.delete(store, report.receipt));
      isChanged = true;
    }
  }
  if (isChanged) await releaseInvitations(transaction);
}
