/**
 * The device's memory: one IndexedDB database, and nothing true in it; or, where nothing can be stored (a kiosk, a window
 * that may not, node), the page's own memory.
 *
 * `surveys`: checked copies of what collectors publish. `secrets`: what the noise of a survey is drawn from, until no
 * report needs it any more. `ledger`: what was spent. `outbox`: noisy reports that wait. `draws`: what the questions of a
 * survey with `draw`, or the waves of one with `asked_in`, are drawn from, for good. `sent`: noisy reports that were
 * delivered, where a page has them kept. `gateways`: which keys were seen of each gateway, for oblivious delivery.
 */

import { StateError } from "./errors.js";

// Programs of versions 1 to 3 charge several reports of one answer more than they take. What they add to what has been
// charged since would be too little, so they must not open it. One of version 4 would send straight what goes by a relay.
export const VERSION = 5;
/** Every store's key, an array of the members that name a record. @type {{[store: string]: string[]}} */
export const KEYS = {
  surveys: ["url", "surveyId"],
  secrets: ["fingerprint"],
  ledger: ["fingerprint", "wave"],
  outbox: ["receipt"],
  draws: ["fingerprint"],
  sent: ["receipt"],
  gateways: ["key"],
};

const REOPENED_AFTER_MS = [0, 50, 200, 500]; // one transaction, before it is given up
const OPEN_TIMEOUT_MS = 10_000; // behind a page that holds an older version, or deletes it
export const MEMORY = ":memory:";

/** @typedef {"surveys" | "secrets" | "ledger" | "outbox" | "draws" | "sent" | "gateways"} StoreName */
/**
 * @typedef {object} Transaction
 * @property {(store: StoreName, ...key: (string | number)[]) => Promise<any>} get undefined where there is none
 * @property {(store: StoreName) => Promise<any[]>} all in order of the key
 * @property {(store: StoreName, record: object) => Promise<unknown>} put
 * @property {(store: StoreName, ...key: (string | number)[]) => Promise<unknown>} delete
 */
/**
 * @typedef {object} State
 * @property {boolean} isDurable whether it outlives the page
 * @property {<Result>(work: (transaction: Transaction) => Promise<Result>) => Promise<Result>} transact
 *   run a transaction: durable when the promise is kept, undone when `work` throws; `work` awaits and changes nothing
 *   else, for it may be run again
 * @property {() => void} close
 */

/** Kept while the page is there; from when it is left until it is shown again there is nothing to wait for but that. */
let isThere = Promise.resolve();
globalThis.addEventListener?.("pagehide", () => {
  isThere = new Promise((resolve) => globalThis.addEventListener("pageshow", () => resolve(), { once: true }));
});

/** @type {Map<string, State>} what pages share that may store nothing, by the name of the database */
const inMemory = new Map();

/**
 * Open a state, and create it where there is none.
 *
 * Only where the browser is known to store nothing the page's memory takes its place. Whatever else keeps a database from
 * being opened may pass, and what is in it be needed again: then every use throws StateError until it opens.
 * @param {string} name @returns {Promise<State>}
 */
export async function openState(name) {
  if (name === MEMORY) return new MemoryState();
  const durable = new DurableState(name);
  if (!storesNothing() && (await durable.mayOpen())) return durable;
  const shared = inMemory.get(name) ?? new MemoryState();
  inMemory.set(name, shared);
  return shared;
}

/** Whether this is node, or a page whose user or frame forbids it to store anything. */
function storesNothing() {
  if (globalThis.indexedDB === undefined || globalThis.navigator?.cookieEnabled === false) return true;
  try {
    return globalThis.localStorage === null; // asked for where it is forbidden, it throws; a worker has none
  } catch {
    return true;
  }
}

/** @returns {Promise<IDBDatabase>} */
function openDatabase(/** @type {string} */ name) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, VERSION);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(new DOMException("another page holds it", "TimeoutError"));
    }, OPEN_TIMEOUT_MS);
    request.onupgradeneeded = () => {
      const missing = Object.entries(KEYS).filter(([store]) => !request.result.objectStoreNames.contains(store));
      for (const [store, key] of missing) request.result.createObjectStore(store, { keyPath: key });
    };
    request.onsuccess = () => {
      clearTimeout(timer);
      if (isLate) request.result.close();
      resolve(request.result);
    };
    request.onerror = () => {
      clearTimeout(timer);
      reject(request.error);
    };
  });
}

/** @implements {State} */
class DurableState {
  isDurable = true;
  #name;
  /** @type {Promise<IDBDatabase> | null} */
  #opening = null;
  /** @type {IDBDatabase | null} what was opened last */
  #database = null;
  #isClosed = false;

  /** @param {string} name */
  constructor(name) {
    this.#name = name;
  }

  /** Whether it is open, or may be another time; false in a private window that has no databases. */
  async mayOpen() {
    try {
      await this.#open();
      return true;
    } catch (fault) {
      return !(fault instanceof DOMException && ["InvalidStateError", "SecurityError"].includes(fault.name));
    }
  }

  /** @template Result @param {(transaction: Transaction) => Promise<Result>} work */
  async transact(work) {
    try {
      return await this.#run(work);
    } catch (fault) {
      if (!(fault instanceof DOMException)) throw fault;
      const why = fault.name === "VersionError" ? "it was made by a newer sottovoce" : fault.name;
      throw new StateError(`state ${this.#name} cannot be used (${why}).`, { cause: fault });
    }
  }

  close() {
    this.#isClosed = true;
    this.#opening?.then((database) => database.close()).catch(() => undefined);
  }

  /**
   * Run a transaction; where the database is taken away under it (the disk full, site data cleared) nothing of it was kept,
   * and it is run on the one that is opened anew.
   * @template Result @param {(transaction: Transaction) => Promise<Result>} work
   */
  async #run(work) {
    for (let nTaken = 0; ; nTaken += 1) {
      /** @type {IDBDatabase | null} */
      let database = null;
      await isThere;
      try {
        database = await this.#open();
        return await runOn(database, work);
      } catch (fault) {
        if (!wasTakenAway(fault) || nTaken === REOPENED_AFTER_MS.length) throw fault;
        if (this.#database === database) this.#opening = null; // unless another transaction has opened it anew
        await new Promise((resolve) => setTimeout(resolve, REOPENED_AFTER_MS[nTaken]));
        if (this.#isClosed) throw fault; // opened now, nobody would close it
      }
    }
  }

  async #open() {
    this.#opening ??= openDatabase(this.#name);
    try {
      const database = await this.#opening;
      this.#database = database;
      database.onversionchange = () => database.close(); // a newer page upgrades it, or somebody deletes it
      database.onclose = () => (this.#opening = null);
      return database;
    } catch (fault) {
      this.#opening = null; // to be tried again
      throw fault;
    }
  }
}

/** Undo a transaction, unless its end has begun: then it is kept, or undone already. @param {IDBTransaction} opened */
function abort(opened) {
  try {
    opened.abort();
  } catch (fault) {
    if (!(fault instanceof DOMException && fault.name === "InvalidStateError")) throw fault;
  }
}

/**
 * Run one transaction. A page that is left undoes it, and does it when it is shown again: WebKit does not end what such a
 * page has begun, and holds up all other pages of the site.
 * @template Result @param {IDBDatabase} database @param {(transaction: Transaction) => Promise<Result>} work
 */
async function runOn(database, work) {
  const opened = database.transaction(Object.keys(KEYS), "readwrite", { durability: "strict" });
  const undo = () => abort(opened);
  globalThis.addEventListener?.("pagehide", undo);
  const ended = new Promise((resolve, reject) => {
    opened.oncomplete = resolve;
    opened.onabort = () => reject(opened.error ?? new DOMException("", "AbortError"));
  });
  try {
    const [result] = await Promise.all([runIn(opened, work), ended]);
    return result;
  } finally {
    globalThis.removeEventListener?.("pagehide", undo);
  }
}

/** @template Result @param {IDBTransaction} opened @param {(transaction: Transaction) => Promise<Result>} work */
async function runIn(opened, work) {
  try {
    return await work({
      get: (store, ...key) => settled(opened.objectStore(store).get(key)),
      all: (store) => settled(opened.objectStore(store).getAll()),
      put: (store, record) => settled(opened.objectStore(store).put(record)),
      delete: (store, ...key) => settled(opened.objectStore(store).delete(key)),
    });
  } catch (fault) {
    if (opened.error === null && !wasTakenAway(fault)) abort(opened);
    throw fault;
  }
}

/** Whether the browser has closed the database, before a transaction or within one, or is still deleting it. */
function wasTakenAway(/** @type {unknown} */ fault) {
  return fault instanceof DOMException && ["AbortError", "InvalidStateError", "UnknownError"].includes(fault.name);
}

/** @template Result @param {IDBRequest<Result>} request @returns {Promise<Result>} */
function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** @implements {State} */
export class MemoryState {
  isDurable = false;
  #stores = emptyStores();
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /** @template Result @param {(transaction: Transaction) => Promise<Result>} work @returns {Promise<Result>} */
  transact(work) {
    const turn = this.#last.then(() => this.#run(work));
    this.#last = turn.catch(() => undefined); // its caller gets the fault
    return turn;
  }

  close() {}

  /** @template Result @param {(transaction: Transaction) => Promise<Result>} work */
  async #run(work) {
    const stores = emptyStores();
    for (const [name, records] of this.#stores) stores.set(name, new Map(records));
    const of = (/** @type {string} */ store) => /** @type {Map<string, any>} */ (stores.get(store));
    const result = await work({
      get: async (store, ...key) => of(store).get(String(key)),
      all: async (store) => [...of(store).keys()].sort().map((key) => of(store).get(key)),
      put: async (store, /** @type {any} */ record) =>
        of(store).set(String(KEYS[store].map((member) => record[member])), record),
      delete: async (store, ...key) => of(store).delete(String(key)),
    });
    this.#stores = stores;
    return result;
  }
}

/** @returns {Map<string, Map<string, any>>} */
function emptyStores() {
  return new Map(Object.keys(KEYS).map((name) => [name, new Map()]));
}
