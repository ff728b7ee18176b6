/** @param {Uint8Array} message @returns {Uint8Array} 32 bytes */
export function sha256(message: Uint8Array): Uint8Array;
/** @param {Uint8Array} key @param {Uint8Array} message @returns {Uint8Array} 32 bytes */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array;
