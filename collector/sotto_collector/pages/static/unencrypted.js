// The SHA-256 and HMAC that the client asks of browsers, for pages of a lesson that come over http, where browsers lend
// none (`sotto classroom`). Random numbers are the browser's own: they have those on every page.

(function () {
  if (crypto.subtle) return;

  // FIPS 180-4, section 4.2.2 and 5.3.3: the first 32 bits of the fractional parts of the primes' cube and square roots.
  const primes = [];
  for (let number = 2; primes.length < 64; number++) if (primes.every((prime) => number % prime)) primes.push(number);
  const fraction = (root, prime) => {
    // by Newton's step in integers: no floating point decides a bit
    const target = BigInt(prime) << BigInt(32 * root);
    let found = 1n << 36n;
    for (let next; ; found = next) {
      next = (BigInt(root - 1) * found + target / found ** BigInt(root - 1)) / BigInt(root);
      if (next >= found) return Number(found & 0xffffffffn);
    }
  };
  const ROUND = Uint32Array.from(primes, (prime) => fraction(3, prime));
  const START = Uint32Array.from(primes.slice(0, 8), (prime) => fraction(2, prime));
  const turn = (word, n) => (word >>> n) | (word << (32 - n));

  function sha256(message) {
    const padded = new Uint8Array(((message.length + 8) >> 6) * 64 + 64);
    padded.set(message);
    padded[message.length] = 0x80;
    const view = new DataView(padded.buffer);
    view.setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
    const hash = START.slice();
    const words = new Uint32Array(64);
    for (let at = 0; at < padded.length; at += 64) {
      for (let i = 0; i < 16; i++) words[i] = view.getUint32(at + 4 * i);
      for (let i = 16; i < 64; i++) {
        const [old, late] = [words[i - 15], words[i - 2]];
        const first = turn(old, 7) ^ turn(old, 18) ^ (old >>> 3);
        const second = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
        words[i] = words[i - 16] + first + words[i - 7] + second;
      }
      let [a, b, c, d, e, f, g, h] = hash;
      for (let i = 0; i < 64; i++) {
        const chosen = (e & f) ^ (~e & g);
        const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + chosen + ROUND[i] + words[i]) | 0;
        const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
      }
      [a, b, c, d, e, f, g, h].forEach((word, i) => (hash[i] += word));
    }
    const digest = new DataView(new ArrayBuffer(32));
    hash.forEach((word, i) => digest.setUint32(4 * i, word));
    return new Uint8Array(digest.buffer);
  }

  const join = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));

  /** RFC 2104. */
  function hmac(key, message) {
    const block = new Uint8Array(64);
    block.set(key.length > 64 ? sha256(key) : key);
    const inner = sha256(
      join(
        block.map((byte) => byte ^ 0x36),
        message,
      ),
    );
    return sha256(
      join(
        block.map((byte) => byte ^ 0x5c),
        inner,
      ),
    );
  }

  const subtle = {
    digest: async (_, bytes) => sha256(new Uint8Array(bytes)).buffer,
    importKey: async (_, secret) => ({ secret: Uint8Array.from(secret) }),
    sign: async (_, key, message) => hmac(key.secret, message).buffer,
  };
  Object.defineProperty(crypto, "subtle", { value: subtle });
})();
