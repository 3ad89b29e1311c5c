// Writes through the built kernel's store and through node:sqlite alone, in turns, and prints the rates as JSON.
// Arguments: a folder, rounds, seconds.
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { createSystemClock, loadConfig, startKernel } from "@gantry/kernel";
import { definePlugin } from "@gantry/plugin";
import type { Store } from "@gantry/plugin";
import { interleave } from "../measure/rounds.ts";

const [folder = "", rounds = "5", seconds = "2"] = process.argv.slice(2);
const VALUE = { text: "x".repeat(280) };

async function openStore(): Promise<{
  store: Store;
  close: () => Promise<void>;
}> {
  let store: Store | undefined;
  const plugin = definePlugin({
    id: "writer",
    api: 1,
    summary: "Writes",
    mounts: [],
    setup(ctx) {
      store = ctx.store;
    },
  });
  const config = await loadConfig(
    { home: join(folder, "home"), port: "0", log: "error" },
    {},
  );
  const kernel = await startKernel({
    config,
    clock: createSystemClock(),
    sink: (line) => process.stderr.write(`${line}\n`),
    version: "0.0.0",
    builtinPlugins: undefined,
    shell: undefined,
    definitions: [plugin],
  });
  if (!store) throw new Error("The plugin did not start.");
  return { store, close: () => kernel.stop() };
}

/** Keeps so many writes in flight for a time, and gives how many of them a second were durable. */
async function countWrites(
  write: (key: string) => Promise<void>,
  inFlight: number,
): Promise<number> {
  const begin = performance.now();
  const end = begin + Number(seconds) * 1000;
  let count = 0;
  const writer = async (number: number): Promise<void> => {
    while (performance.now() < end) {
      await write(`item:${number}-${count % 10_000}`);
      count++;
    }
  };
  await Promise.all(
    Array.from({ length: inFlight }, (_, number) => writer(number)),
  );
  return count / ((performance.now() - begin) / 1000);
}

/** One transaction of so many rows after the other: what the disk and SQLite can do at most in this way. */
function createPlain(): (rows: number) => Promise<number> {
  const database = new DatabaseSync(join(folder, "plain.sqlite"));
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE entries (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  `);
  const set = database.prepare(
    "INSERT INTO entries VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
  );
  const value = JSON.stringify(VALUE);
  return async (rows) => {
    const begin = performance.now();
    const end = begin + Number(seconds) * 1000;
    let count = 0;
    while (performance.now() < end) {
      database.exec("BEGIN IMMEDIATE");
      for (let row = 0; row < rows; row++)
        set.run(`item:${row}-${count++ % 10_000}`, value);
      database.exec("COMMIT");
    }
    return count / ((performance.now() - begin) / 1000);
  };
}

const { store, close } = await openStore();
const plain = createPlain();
const write = (key: string) => store.set(key, VALUE);
const result = await interleave(Number(rounds), {
  one: () => countWrites(write, 1),
  plainOne: () => plain(1),
  fifty: () => countWrites(write, 50),
  plainFifty: () => plain(50),
});
await close();
console.log(JSON.stringify(result));
