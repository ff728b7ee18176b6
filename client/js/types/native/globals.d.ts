/** Take the app's source of random bytes: it fills an array. @param {(bytes: Uint8Array) => unknown} getRandomValues */
export function setEntropy(getRandomValues: (bytes: Uint8Array) => unknown): void;
/** Base64 (RFC 4648), padded. @param {string} binary a character a byte */
export function btoa(binary: string): string;
/**
 * Fetch, and read the whole body as text: React Native has no streams, and old ones no bytes. A body that is no UTF-8
 * comes out changed, which no collector's is.
 * @param {string} url @param {RequestInit} options
 */
export function fetch(url: string, options: RequestInit): Promise<{
    status: number;
    headers: Headers;
    body: {
        getReader: () => {
            read: () => Promise<{
                done: boolean;
                value: Uint8Array<ArrayBufferLike> | undefined;
            }>;
        };
    };
}>;
export namespace crypto {
    /** @template {Uint8Array | Uint32Array} Filled @param {Filled} array @returns {Filled} */
    function getRandomValues<Filled extends Uint8Array | Uint32Array>(array: Filled): Filled;
    namespace subtle {
        function digest(_: string, bytes: Uint8Array): Promise<Uint8Array<ArrayBufferLike>>;
        function importKey(_: string, secret: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
        function sign(_: string, key: Uint8Array, message: Uint8Array): Promise<Uint8Array<ArrayBufferLike>>;
    }
}
export class TextEncoder {
    /** @param {string} text */
    encode(text: string): Uint8Array<ArrayBufferLike>;
}
export class TextDecoder {
    /** @param {string} [_] @param {{fatal?: boolean}} [options] */
    constructor(_?: string, { fatal }?: {
        fatal?: boolean;
    });
    /** @param {Uint8Array} bytes */
    decode(bytes: Uint8Array): string;
    #private;
}
/** The parts of an address that `checkUrl` looks at: React Native's own are not all there. */
export class URL {
    /** @param {string} text */
    constructor(text: string);
    protocol: string;
    username: string;
    password: string;
    href: string;
}
