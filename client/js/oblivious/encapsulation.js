/** Oblivious HTTP (RFC 9458, 4): a request that the gateway alone can read, and its response. HPKE is `hpke`'s. */

import { AEAD_AES_128_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_X25519_HKDF_SHA256 } from "hpke";
import { concat, utf8 } from "../src/bytes.js";

/** X25519, HKDF-SHA256 and AES-128-GCM, as a header has them. */
const SUITE = [0, 0x20, 0, 1, 0, 1];
/** Of AES-128-GCM, in bytes: the larger of key and nonce is also the length of the exported secret and its nonce. */
const KEY_BYTES = 16;
const NONCE_BYTES = 12;

/**
 * Return an encapsulated request, and what opens its response. Throws `hpke`'s errors where this browser lacks
 * X25519; `open` throws if the response is not that of this request.
 * @param {import("./keys.js").Key} key @param {Uint8Array} message a request in binary HTTP
 * @returns {Promise<{sealed: Uint8Array<ArrayBuffer>, open: (response: Uint8Array) => Promise<Uint8Array>}>}
 */
export async function encapsulate({ id, publicKey }, message) {
  const suite = new CipherSuite(KEM_DHKEM_X25519_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_128_GCM);
  const header = concat([id], SUITE);
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
