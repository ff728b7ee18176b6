// Prints, for every block of 4,096 code points, the SHA-256 of what the strings made of them count as: "" where refused.
import { createHash } from "node:crypto";
import { isAnswer, normalise } from "../client/js/src/text.js";

const N_BLOCK = 4096;
const SEQUENCES = JSON.parse(process.argv[2]);
const only = process.argv[3] === undefined ? null : Number(process.argv[3]);
for (const plane of [0, 1, 2, 14]) {
  for (let start = plane * 0x10000; start < (plane + 1) * 0x10000; start += N_BLOCK) {
    if (only !== null && start !== only) continue;
    const counted = [];
    for (let code = start; code < start + N_BLOCK; code += 1) {
      if (code >= 0xd800 && code < 0xe000) continue;
      for (const sequence of SEQUENCES) {
        const typed = sequence.replaceAll("?", String.fromCodePoint(code));
        counted.push(isAnswer(typed) ? normalise(typed) : "");
      }
    }
    if (only !== null) console.log(JSON.stringify(counted));
    else console.log(start, createHash("sha256").update(counted.join("\0")).digest("hex"));
  }
}
