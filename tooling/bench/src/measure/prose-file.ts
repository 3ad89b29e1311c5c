import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const WORDS = 4096;
const WORDS_A_LINE = 40;
const LINES_A_PART = 1000;

/** Numbers that look random and are the same in each run. */
function* pseudoRandom(seed: number): Generator<number, never> {
  for (let state = seed | 0 || 1; ;) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield state >>> 0;
  }
}

/**
 * Appends lines of a conversation that compress about as text does. Two seeds give two texts: a backup stores what it knows
 * only once.
 */
export async function writeProse(
  path: string,
  bytes: number,
  seed: number,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await pipeline(
    Readable.from(createParts(bytes, seed)),
    createWriteStream(path, { flags: "a", mode: 0o600 }),
  );
}

function* createParts(bytes: number, seed: number): Generator<string> {
  const random = pseudoRandom(seed * 7919 + 1);
  const draw = (below: number) => random.next().value % below;
  let index = 0;
  for (let left = bytes; left > 0;) {
    const lines = Array.from({ length: LINES_A_PART }, () => {
      const words = Array.from({ length: WORDS_A_LINE }, () =>
        // Short words are more frequent, as in any language.
        Math.imul(Math.min(draw(WORDS), draw(WORDS)) + 1, 2654435761)
          .toString(36)
          .slice(1, 3 + draw(4)),
      );
      const role = index % 2 === 0 ? "user" : "assistant";
      const id = `ent_${String(index).padStart(8, "0")}`;
      index += 1;
      return `${JSON.stringify({ id, role, kind: "text", text: words.join(" ") })}\n`;
    });
    const part = lines.join("").slice(0, left);
    left -= part.length;
    yield part;
  }
}
