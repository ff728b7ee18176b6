/** Browsers of 2021 lack some of what newer ones have: the client does without it, and says so where it cannot. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SurveyClient } from "../sottovoce.js";
import * as bundle from "../sottovoce.min.js";
import { ANSWERS, INVITATION, TEXTS } from "./devices.js";
import { serve } from "./server.js";

/** What came after Chrome 91, Firefox 90 and Safari 15, and a program might use. @type {[any, string[]][]} */
const NEWER = [
  [AbortSignal, ["timeout", "any"]],
  [Array, ["fromAsync"]],
  [Array.prototype, ["at", "findLast", "findLastIndex", "toReversed", "toSorted", "toSpliced", "with"]],
  [Object.getPrototypeOf(Uint8Array.prototype), ["at", "findLast", "findLastIndex", "toReversed", "toSorted", "with"]],
  [String.prototype, ["at", "isWellFormed", "toWellFormed"]],
  [Object, ["hasOwn", "groupBy"]],
  [Promise, ["withResolvers", "try"]],
  [Set.prototype, ["union", "intersection", "difference", "isSubsetOf"]],
  [crypto, ["randomUUID"]],
  [globalThis, ["structuredClone"]],
];

/** A function that is missing for the client's own modules; node's need it. */
function notOurs(/** @type {Function} */ known) {
  return function (/** @type {unknown[]} */ ...given) {
    const [, , caller = ""] = String(new Error().stack).split("\n");
    if (caller.includes("/client/js/so") || caller.includes("/client/js/src/"))
      throw new TypeError("is not a function");
    return known.apply(/** @type {any} */ (this), given);
  };
}

for (const [name, Client] of Object.entries({ client: SurveyClient, bundle: bundle.SurveyClient })) {
  test(`the ${name} answers and delivers without what browsers of 2021 lack`, async (t) => {
    const http = await serve(t, TEXTS.invited);
    for (const [owner, names] of NEWER) {
      for (const missing of names.filter((each) => owner[each] !== undefined)) {
        const known = owner[missing];
        owner[missing] = notOurs(known);
        t.after(() => (owner[missing] = known));
      }
    }
    const device = new Client(http.url, "lunch", { state: ":memory:", invitation: INVITATION });
    const receipt = await device.answer(ANSWERS);
    assert.equal(await device.flush(20_000), true);
    device.close();
    assert.deepEqual([...http.seen], [receipt.id]);
  });
}
