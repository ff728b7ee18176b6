/**
 * Return an encapsulated request, and what opens its response. Throws `hpke`'s errors where this browser lacks
 * X25519; `open` throws if the response is not that of this request.
 * @param {import("./keys.js").Key} key @param {Uint8Array} message a request in binary HTTP
 * @returns {Promise<{sealed: Uint8Array<ArrayBuffer>, open: (response: Uint8Array) => Promise<Uint8Array>}>}
 */
export function encapsulate({ id, publicKey }: import("./keys.js").Key, message: Uint8Array): Promise<{
    sealed: Uint8Array<ArrayBuffer>;
    open: (response: Uint8Array) => Promise<Uint8Array>;
}>;
