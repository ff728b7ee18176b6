/** Oblivious HTTP (RFC 9458, 4): a request that the gateway alone can read, and its response. HPKE is `hpke`'s. */

import {
  AEAD_AES_128_GCM,
  CipherSuite,
  KDF_HKDF_SHA256,
  KEM_DHKEM_P256_HKDF_SHA256,
  KEM_DHKEM_X25519_HKDF_SHA256,
} from "hpke";
import { bigEndian, concat, utf8 } from "../src/bytes.js";

/** @type {{[kem: number]: import("hpke").KEMFactory}} */
const KEMS = { 0x20: KEM_DHKEM_X25519_HKDF_SHA256, 0x10: KEM_DHKEM_P256_HKDF_SHA256 };
const HKDF_SHA256 = 1;
const AES_128_GCM = 1;
/** Of AES-128-GCM, in bytes: the larger of key and nonce is also the length of the exported secret and its nonce. */
const KEY_BYTES = 16;
const NONCE_BYTES = 12;

/**
 * Return an encapsulated request, and what opens its response. Throws `hpke`'s errors where this browser lacks the key's
 * algorithms; `open` throws if the response is not that of this request.
 * @param {import("./keys.js").Key} key @param {Uint8Array} message a request in binary HTTP
 * @returns {Promise<{sealed: Uint8Array<ArrayBuffer>, open: (response: Uint8Array) => Promise<Uint8Array>}>}
 */
export async function encapsulate({ id, kem, publicKey }, message) {
  const suite = new CipherSuite(KEMS[kem], KDF_HKDF_SHA256, AEAD_AES_128_GCM);
  const header = concat([id], bigEndian(kem, 2), bigEndian(HKDF_SHA256, 2), bigEndian(AES_128_GCM, 2));
  const info = concat(utf8("message/bhttp request\0"), header);
  const { encapsulatedSecret, ctx } = await suite.SetupSender(await suite.DeserializePublicKey(publicKey), { info });
  const sealed = new Uint8Array(concat(header, encapsulatedSecret, await ctx.Seal(message)));
  const open = async (/** @type {Uint8Array} */ response) => {
    const secret = await ctx.Export(utf8("message/bhttp response"), KEY_BYTES);
    return openResponse(encapsulatedSecret, secret, response);
  };
  return { sealed, open };
}

/** As RFC 9458, 4.4. @returns {Promise<Uint8Array>} */
async function openResponse(
  /** @type {Uint8Array} */ enc,
  /** @type {Uint8Array} */ secret,
  /** @type {Uint8Array} */ response,
) {
  const { subtle } = crypto;
  const salt = concat(enc, response.subarray(0, KEY_BYTES));
  const extracted = await subtle.importKey("raw", /** @type {BufferSource} */ (secret), "HKDF", false, ["deriveBits"]);
  const expand = (/** @type {string} */ label, /** @type {number} */ nBytes) =>
    subtle.deriveBits(
      /** @type {HkdfParams} */ ({ name: "HKDF", hash: "SHA-256", salt, info: utf8(label) }),
      extracted,
      8 * nBytes,
    );
  const [bytes, iv] = await Promise.all([expand("key", KEY_BYTES), expand("nonce", NONCE_BYTES)]);
  const key = await subtle.importKey("raw", bytes, "AES-GCM", false, ["decrypt"]);
  const sealed = /** @type {BufferSource} */ (response.subarray(KEY_BYTES));
  return new Uint8Array(await subtle.decrypt({ name: "AES-GCM", iv }, key, sealed));
}
