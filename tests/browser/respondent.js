// A respondent in a hurry, who has answered on the survey page: reviews, sends, and waits until the report was delivered.
// Returns what the device had stored before it sent, and after.
async (isLookedAt) => {
  const until = async (isThere) => {
    for (const start = performance.now(); !isThere(); await new Promise(requestAnimationFrame)) {
      if (performance.now() - start > 30_000) throw new Error(`this takes too long: ${isThere}`);
    }
  };
  const find = (id) => document.getElementById(id);

  const ended = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });

  /** All that this device stores; keys as what they are, bytes in hexadecimal. */
  async function dump() {
    const stored = { local: { ...localStorage }, session: { ...sessionStorage }, cookies: document.cookie };
    stored.caches = await caches.keys();
    for (const { name } of await indexedDB.databases()) {
      const database = await ended(indexedDB.open(name));
      for (const store of database.objectStoreNames) {
        const kept = database.transaction(store).objectStore(store);
        stored[`${name} ${store}`] = [await ended(kept.getAllKeys()), await ended(kept.getAll())];
      }
      database.close();
    }
    return JSON.stringify([stored, history.state, location.href], (_, value) => {
      if (typeof value === "bigint") return String(value);
      if (value instanceof CryptoKey) return `key, extractable: ${value.extractable}`;
      return ArrayBuffer.isView(value) ? Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("") : value;
    });
  }

  find("review-button").click();
  await until(() => !find("review").hidden);
  const reviewed = isLookedAt ? await dump() : "";
  find("send-button").click();
  const isDelivered = ({ name, responseStatus }) => name.endsWith("/reports") && responseStatus === 200;
  await until(() => performance.getEntriesByType("resource").some(isDelivered));
  const sent = isLookedAt ? await dump() : "";
  return [reviewed, sent].filter(Boolean);
};
