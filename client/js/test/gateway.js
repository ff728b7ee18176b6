/** A relay with a gateway behind it, as tests need them: built of `hpke` and `bhttp-js`, and of nothing of ours. */

import { createServer } from "node:http";
import { BHttpDecoder, BHttpEncoder } from "bhttp-js";
import {
  AEAD_AES_128_GCM,
  CipherSuite,
  KDF_HKDF_SHA256,
  KEM_DHKEM_P256_HKDF_SHA256,
  KEM_DHKEM_X25519_HKDF_SHA256,
} from "hpke";

const { subtle } = crypto;
const KEMS = { 0x20: KEM_DHKEM_X25519_HKDF_SHA256, 0x10: KEM_DHKEM_P256_HKDF_SHA256 };
const suiteOf = (kem) => new CipherSuite(KEMS[kem], KDF_HKDF_SHA256, AEAD_AES_128_GCM);
export const KEY_PROBLEM = { type: "https://iana.org/assignments/http-problem-types#ohttp-key", status: 400 };
export const DAY = "2999-12-31";
const PATH = "/.well-known/ohttp-gateway";

/** A new Ed25519 key: its public half as a survey has it, and what signs key configurations with it. */
export async function newSigner() {
  const pair = await subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  const gatewayKey = Buffer.from(await subtle.exportKey("raw", pair.publicKey)).toString("hex");
  const sign = async (epoch, list, until = DAY) => {
    const keys = Buffer.from(list).toString("base64url");
    const signed = `sottovoce ohttp keys 1\n{"epoch":${epoch},"keys":"${keys}","until":"${until}"}`;
    const signature = Buffer.from(await subtle.sign("Ed25519", pair.privateKey, Buffer.from(signed))).toString("hex");
    return JSON.stringify({ epoch, keys, signature, until });
  };
  return { gatewayKey, sign };
}

/** New keys of a gateway: `list` as it is published, and `open`, which returns a request and what seals its response. */
export async function newKeys(kems = [0x20, 0x10]) {
  const pairs = await Promise.all(kems.map((kem) => suiteOf(kem).GenerateKeyPair(true)));
  const parts = [];
  for (const [id, kem] of kems.entries()) {
    const publicKey = await suiteOf(kem).SerializePublicKey(pairs[id].publicKey);
    const one = [id, kem >> 8, kem & 255, ...publicKey, 0, 4, 0, 1, 0, 1];
    parts.push(one.length >> 8, one.length & 255, ...one);
  }
  const open = async (sealed) => {
    const [id, kem] = [sealed[0], 256 * sealed[1] + sealed[2]];
    const nEnc = kem === 0x20 ? 32 : 65;
    const [header, enc] = [sealed.subarray(0, 7), sealed.subarray(7, 7 + nEnc)];
    const info = Buffer.concat([Buffer.from("message/bhttp request\0"), header]);
    const context = await suiteOf(kem).SetupRecipient(pairs[id], enc, { info });
    const request = await context.Open(sealed.subarray(7 + nEnc));
    const seal = async (response) => {
      const secret = await context.Export(new TextEncoder().encode("message/bhttp response"), 16);
      const nonce = crypto.getRandomValues(new Uint8Array(16));
      const base = await subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
      const expand = (label, n) =>
        subtle.deriveBits(
          { name: "HKDF", hash: "SHA-256", salt: Buffer.concat([enc, nonce]), info: Buffer.from(label) },
          base,
          8 * n,
        );
      const key = await subtle.importKey("raw", await expand("key", 16), "AES-GCM", false, ["encrypt"]);
      const iv = await expand("nonce", 12);
      return Buffer.concat([nonce, Buffer.from(await subtle.encrypt({ name: "AES-GCM", iv }, key, response))]);
    };
    return { request, seal };
  };
  return { list: Uint8Array.from(parts), open };
}

/** The relay of a test: `signed` is what it gives as keys, `answer` the collector behind its gateway. */
export class Relay {
  constructor(signer, keys) {
    Object.assign(this, { signer, keys, epoch: 1, until: DAY, url: "", signed: null });
    /** Encrypted requests, as they came. @type {Buffer[]} */
    this.sealed = [];
    /** What was in them: path, body, and the bytes of the message. */
    this.asked = [];
    /** Of POSTs, what is answered in place of the gateway: `{status, body, headers}`, a function of its reply, or null. */
    this.script = [];
    this.nKeys = 0;
    this.answer = (path, body) => {
      if (path.endsWith("/reports")) return { counted: 1, duplicates: 0 };
      return path.endsWith("/check") ? { state: "unused" } : { erased: true };
    };
    this.server = createServer((request, response) => void this.#serve(request, response));
  }

  async listen() {
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", () => resolve(undefined)));
    this.url = `http://127.0.0.1:${/** @type {any} */ (this.server.address()).port}`;
    return this;
  }

  async close() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async #serve(request, response) {
    const parts = [];
    for await (const part of request) parts.push(part);
    const send = ({ status = 200, body = "", headers = {} }) => response.writeHead(status, headers).end(body);
    if (request.url === `${PATH}/signed`) {
      this.nKeys += 1;
      return send(this.signed ?? { body: await this.signer.sign(this.epoch, this.keys.list, this.until) });
    }
    if (request.url !== PATH || request.method !== "POST") return send({ status: 404 });
    const sealed = Buffer.concat(parts);
    this.sealed.push(sealed);
    const scripted = this.script.shift() ?? null;
    if (scripted === "drop") return response.destroy();
    if (scripted === "hang") return undefined;
    if (scripted !== null && typeof scripted !== "function") return send(scripted);
    const reply = await this.#open(sealed);
    return send(scripted === null ? reply : scripted(reply));
  }

  async #open(sealed) {
    const { request: message, seal } = await this.keys.open(sealed);
    const inner = new BHttpDecoder().decodeRequest(message);
    const { pathname, host } = new URL(inner.url);
    const body = await inner.text();
    this.asked.push({ host, path: pathname, body, message, headers: [...inner.headers] });
    const said = this.answer(pathname, body);
    const headers = { "content-type": "application/json" };
    const reply = said instanceof Response ? said : new Response(JSON.stringify(said), { headers });
    const encoded = new Uint8Array(await new BHttpEncoder().encodeResponse(reply));
    const padded = Buffer.concat([encoded, Buffer.alloc(1024 - encoded.length)]);
    return { body: await seal(padded), headers: { "content-type": "message/ohttp-res" } };
  }
}

/** Serve a relay until a test ends. @param {import("node:test").TestContext} t */
export async function serveRelay(t, signer, keys) {
  const relay = await new Relay(signer ?? (await newSigner()), keys ?? (await newKeys())).listen();
  t.after(() => relay.close());
  return relay;
}
