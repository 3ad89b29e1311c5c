import { randomBytes } from "node:crypto";
import { mkdir, open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "vitest";
import type { ApiClient } from "../api-client.ts";
import { readAll } from "../read-all.ts";

const FILES = 30;
const MAX_FILE_BYTES = 60_000;
/** Records that are made before a kill, at most: the home must not grow without end. */
const MAX_MADE = 50;

interface Snippet {
  id: string;
  title: string;
  body: string;
}

/** Records of a home: the body of each, by its id. */
export type Records = ReadonlyMap<string, string>;

/** What was acknowledged to clients. */
export interface Acknowledged {
  /** Ids of the records that were made. */
  readonly made: Set<string>;
  /** The last body that the counter got. */
  count: number;
}

const fileOf = (home: string, number: number) =>
  join(home, "data", "archive", `file-${number}`);

/** Gives a home files that no plugin owns. */
export async function fillHome(home: string): Promise<void> {
  await mkdir(join(home, "data", "archive"), { recursive: true, mode: 0o700 });
  for (let number = 0; number < FILES; number++)
    await writeFile(fileOf(home, number), randomBytes(MAX_FILE_BYTES));
}

/** Makes the record that counts. */
export async function makeCounter(api: ApiClient): Promise<string> {
  const counter = { title: "Counter", body: "0" };
  const { status, body } = await api.call<Snippet>(
    "POST",
    "/api/snips",
    counter,
  );
  expect(status).toBe(200);
  return body.id;
}

/**
 * Makes records, counts in one, and writes, cuts off and grows files in their place, all of it without a pause and until the daemon is
 * killed.
 */
export async function keepBusy(
  api: ApiClient,
  home: string,
  counter: string,
  acknowledged: Acknowledged,
): Promise<void> {
  let isOver = false;
  const untilOver = async (write: () => Promise<void>) => {
    try {
      while (!isOver) await write();
    } finally {
      isOver = true;
    }
  };
  const enough = acknowledged.made.size + MAX_MADE;
  await Promise.allSettled([
    untilOver(async () => {
      if (acknowledged.made.size >= enough) return nextTurn();
      const { status, body } = await api.call<Snippet>("POST", "/api/snips", {
        title: "Made",
        body: "x".repeat(300),
      });
      if (status === 200) acknowledged.made.add(body.id);
    }),
    untilOver(async () => {
      const count = acknowledged.count + 1;
      const change = { body: String(count) };
      const path = `/api/snips/${counter}`;
      const { status } = await api.call("PATCH", path, change);
      if (status === 200) acknowledged.count = count;
    }),
    untilOver(() => rewriteFile(home)),
  ]);
}

/** In place, as programs do that write no second file. */
async function rewriteFile(home: string): Promise<void> {
  const [number = 0, kind = 0] = randomBytes(2);
  const file = await open(fileOf(home, number % FILES), "r+").catch(
    () => undefined,
  );
  // A restore puts another folder in its place.
  if (!file) return nextTurn();
  try {
    if (kind % 3 === 0) await file.truncate(kind * 100);
    else await file.write(randomBytes(kind * 200), 0, null, kind * 10);
  } finally {
    await file.close();
  }
}

/** Reads all records through the API. */
export async function readRecords(api: ApiClient): Promise<Records> {
  const snippets = await readAll<Snippet>(api, "/api/snips");
  return new Map(snippets.map(({ id, body }) => [id, body]));
}

/** Each acknowledged write is in one of these places. */
export function expectAcknowledged(
  { made, count }: Acknowledged,
  counter: string,
  places: readonly Records[],
  round: string,
): void {
  const lost = [...made].filter((id) => !places.some((place) => place.has(id)));
  expect(lost, `acknowledged and lost, ${round}`).toEqual([]);
  const counts = places.map((place) => Number(place.get(counter) ?? -1));
  expect(Math.max(...counts), `counter, ${round}`).toBeGreaterThanOrEqual(
    count,
  );
}
