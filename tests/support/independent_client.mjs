// Posts reports through a relay with `hpke` and `bhttp-js` alone, nothing of ours: the addresses and bodies come as JSON on
// standard input, and what the collector says of each goes to standard output.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.cwd()}/`);
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { AEAD_AES_128_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_P256_HKDF_SHA256, KEM_DHKEM_X25519_HKDF_SHA256 } =
  await load("hpke");
const { BHttpDecoder, BHttpEncoder } = await load("bhttp-js");
const { subtle } = crypto;
const KEMS = new Map([
  [0x20, [KEM_DHKEM_X25519_HKDF_SHA256, 32]],
  [0x10, [KEM_DHKEM_P256_HKDF_SHA256, 65]],
]);
const text = (words) => new TextEncoder().encode(words);

let input = "";
for await (const part of process.stdin.setEncoding("utf8")) input += part;
const { relay, address, bodies } = JSON.parse(input);
const reply = await fetch(relay);
if (reply.headers.get("content-type") !== "application/ohttp-keys") throw new Error("no keys");
const list = new Uint8Array(await reply.arrayBuffer());
const keys = [];
for (let at = 0; at < list.length; at += 2 + 256 * list[at] + list[at + 1]) {
  const kem = 256 * list[at + 3] + list[at + 4];
  const [factory, nBytes] = KEMS.get(kem);
  const suite = new CipherSuite(factory, KDF_HKDF_SHA256, AEAD_AES_128_GCM);
  const publicKey = await suite.DeserializePublicKey(list.slice(at + 5, at + 5 + nBytes));
  keys.push({ suite, publicKey, header: new Uint8Array([list[at + 2], kem >> 8, kem & 255, 0, 1, 0, 1]) });
}

async function post(body, { suite, publicKey, header }) {
  const info = Buffer.concat([text("message/bhttp request\0"), header]);
  const { encapsulatedSecret: enc, ctx } = await suite.SetupSender(publicKey, { info });
  const headers = { "content-type": "application/json" };
  const message = await new BHttpEncoder().encodeRequest(new Request(address, { method: "POST", headers, body }));
  const sealed = Buffer.concat([header, enc, await ctx.Seal(new Uint8Array(message))]);
  const answer = await fetch(relay, { method: "POST", headers: { "content-type": "message/ohttp-req" }, body: sealed });
  if (answer.status !== 200) return { status: answer.status };
  const response = new Uint8Array(await answer.arrayBuffer());
  const secret = await ctx.Export(text("message/bhttp response"), 16);
  const base = await subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const salt = Buffer.concat([enc, response.slice(0, 16)]);
  const derive = (label, n) => subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info: text(label) }, base, 8 * n);
  const key = await subtle.importKey("raw", await derive("key", 16), "AES-GCM", false, ["decrypt"]);
  const opened = await subtle.decrypt({ name: "AES-GCM", iv: await derive("nonce", 12) }, key, response.slice(16));
  const inner = new BHttpDecoder().decodeResponse(new Uint8Array(opened));
  return { status: inner.status, size: response.length, said: await inner.json() };
}

const replies = [];
for (const [index, body] of bodies.entries()) replies.push(await post(body, keys[index % keys.length]));
console.log(JSON.stringify(replies));
