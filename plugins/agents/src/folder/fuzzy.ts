/** A path that a query fits, and how well. */
export interface FuzzyHit {
  path: string;
  score: number;
}

const SLASH = 47;
const DOT = 46;
const MAX_QUERY_LENGTH = 100;

const POINTS = {
  /** A character that is found. */
  found: 16,
  /** It follows the one found before. */
  next: 24,
  /** It begins a name. */
  name: 30,
  /** It begins a word. */
  word: 18,
  /** All of it is in the last name. */
  last: 60,
  /** It is the last name, or that without its ending. */
  whole: 200,
  /** Each byte of the path counts against it, up to this number. */
  longest: 200,
} as const;

/**
 * Looks for paths whose letters have those of a query in their order, best first. The paths are one after the other in
 * bytes of UTF-8, each ended by a NUL: a million of them are read as quickly as the memory is, and no text is made of
 * those that do not fit. Capitals of ASCII are as good as small letters, spaces of the query are passed over.
 *
 * @param pause Awaited now and then, so that others get their turn.
 */
export async function fuzzyFind(
  paths: Uint8Array,
  query: string,
  limit: number,
  pause: () => Promise<void>,
): Promise<FuzzyHit[]> {
  const wanted = toWanted(query);
  const best = new BestHits(limit);
  const places = new Int32Array(wanted.length);
  let start = 0;
  let found = 0;
  let rest = REST_AFTER;
  for (let at = 0; at < paths.length; at++) {
    let byte = paths[at] as number;
    if (byte !== 0) {
      if (byte >= 65 && byte <= 90) byte += 32;
      if (byte === wanted[found]) found++;
      continue;
    }
    if (found === wanted.length) {
      locate(paths, start, at, wanted, places);
      best.add(scoreOf(paths, start, at, places), paths, start, at);
    }
    start = at + 1;
    found = 0;
    if (start > rest) {
      rest = start + REST_AFTER;
      await pause();
    }
  }
  return best.hits;
}

/** Bytes that are searched in a few milliseconds. */
const REST_AFTER = 1024 * 1024;

function toWanted(query: string): Uint8Array {
  const letters = query.slice(0, MAX_QUERY_LENGTH);
  return Buffer.from(letters.replace(/\s+/g, "")).map(toSmall);
}

function toSmall(byte: number): number {
  return byte >= 65 && byte <= 90 ? byte + 32 : byte;
}

/** Finds the letters from the end, which keeps them together and in the last name. They are known to be there. */
function locate(
  paths: Uint8Array,
  start: number,
  stop: number,
  wanted: Uint8Array,
  places: Int32Array,
): void {
  let left = wanted.length - 1;
  for (let at = stop - 1; left >= 0 && at >= start; at--) {
    if (toSmall(paths[at] as number) !== wanted[left]) continue;
    places[left] = at;
    left--;
  }
}

function scoreOf(
  paths: Uint8Array,
  start: number,
  stop: number,
  places: Int32Array,
): number {
  let name = stop;
  while (name > start && paths[name - 1] !== SLASH) name--;
  let score = 0;
  let before = -2;
  for (const at of places) {
    score += POINTS.found;
    if (at === before + 1) score += POINTS.next;
    if (at === start || paths[at - 1] === SLASH) score += POINTS.name;
    else if (beginsWord(paths[at - 1] ?? 0, paths[at] ?? 0))
      score += POINTS.word;
    before = at;
  }
  const first = places[0] ?? stop;
  if (first >= name) score += POINTS.last;
  const isTogether = before - first === places.length - 1;
  if (isTogether && first === name && endsThere(paths, before + 1, stop))
    score += POINTS.whole;
  return score - Math.min(stop - start, POINTS.longest) / 4;
}

/** Whether nothing comes any more but an ending such as `.ts`. */
function endsThere(paths: Uint8Array, at: number, stop: number): boolean {
  if (at === stop) return true;
  return paths[at] === DOT && !paths.subarray(at + 1, stop).includes(DOT);
}

/** After a mark, or a capital after a small letter. */
function beginsWord(before: number, at: number): boolean {
  const isLetter = (byte: number) =>
    (byte >= 97 && byte <= 122) || (byte >= 65 && byte <= 90) || byte > 127;
  const isDigit = (byte: number) => byte >= 48 && byte <= 57;
  if (!isLetter(before) && !isDigit(before)) return true;
  return at >= 65 && at <= 90 && !(before >= 65 && before <= 90);
}

/** The best so far, with no text made of what is not among them. */
class BestHits {
  readonly hits: FuzzyHit[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(score: number, paths: Uint8Array, start: number, stop: number): void {
    const { hits } = this;
    const last = hits.length < this.#limit ? undefined : hits.at(-1);
    if (last && score < last.score) return;
    const path = Buffer.from(
      paths.buffer,
      paths.byteOffset + start,
      stop - start,
    ).toString("utf8");
    const hit = { path, score };
    if (last && compareHits(hit, last) >= 0) return;
    const place = hits.findIndex((other) => compareHits(hit, other) < 0);
    hits.splice(place < 0 ? hits.length : place, 0, hit);
    if (hits.length > this.#limit) hits.pop();
  }
}

/** Best first; of equals the shorter, then in the order of their letters, so that it is always the same. */
export function compareHits(one: FuzzyHit, other: FuzzyHit): number {
  return (
    other.score - one.score ||
    one.path.length - other.path.length ||
    (one.path < other.path ? -1 : one.path > other.path ? 1 : 0)
  );
}
