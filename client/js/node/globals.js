/** What Node has in place of the browser's: keys that are bytes, so that a state can be kept. See scripts/bundle_client.mjs. */

import { createHash, createHmac, randomFillSync } from "node:crypto";

export const crypto = {
  getRandomValues: randomFillSync,
  subtle: {
    digest: async (/** @type {string} */ _, /** @type {Uint8Array} */ bytes) =>
      createHash("sha256").update(bytes).digest(),
    importKey: async (/** @type {string} */ _, /** @type {Uint8Array} */ secret) => Uint8Array.from(secret),
    sign: async (/** @type {string} */ _, /** @type {Uint8Array} */ key, /** @type {Uint8Array} */ message) =>
      createHmac("sha256", key).update(message).digest(),
  },
};
