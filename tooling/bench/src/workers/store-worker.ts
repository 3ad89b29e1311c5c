// Writes through the built kernel's store and through node:sqlite alone, in turns, and prints the rates as JSON.
// Arguments: a folder, rounds, seconds.
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { createSystemClock, loadConfig, startKernel } from "@gantry/kernel";
import type { PluginDefinition, Store } from "@gantry/plugin";
import { interleave } from "../measure/rounds.ts";

const [folder = "", rounds = "5", seconds = "2"] = process.argv.slice(2);
const VALUE_LENGTH = 280;
/** So many records are written over and over. */
const RECORDS = 10_000;

/** SQLite does not touch what stays as it is, so no two values of one store are the same. */
const valueOf = (count: number) => ({
  text: String(count).padStart(VALUE_LENGTH, "x"),
});
const keyOf = (count: number) => `item:${count % RECORDS}`;

async function openStore(): Promise<{
  store: Store;
  close: () => Promise<void>;
}> {
  let store: Store | undefined;
  const plugin: PluginDefinition = {
    id: "writer",
    api: 1,
    summary: "Writes",
    mounts: [],
    setup(ctx) {
      store = ctx.store;
    },
  };
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
    rehearse: () => Promise.reject(new Error("Not here.")),
    definitions: [plugin],
  });
  if (!store) throw new Error("The plugin did not start.");
  return { store, close: () => kernel.stop() };
}

/** Keeps `inFlight` writes in flight for a time, and gives how many of them a second were durable. */
function createWriter(store: Store): (inFlight: number) => Promise<number> {
  let count = 0;
  return async (inFlight) => {
    const first = count;
    const begin = performance.now();
    const end = begin + Number(seconds) * 1000;
    const writer = async (): Promise<void> => {
      while (performance.now() < end) {
        const number = count++;
        await store.set(keyOf(number), valueOf(number));
      }
    };
    await Promise.all(Array.from({ length: inFlight }, writer));
    return (count - first) / ((performance.now() - begin) / 1000);
  };
}

/** Writes one transaction of `rows` rows after the other: the most that the disk and SQLite can do in this way. */
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
  let count = 0;
  return async (rows) => {
    const first = count;
    const begin = performance.now();
    const end = begin + Number(seconds) * 1000;
    while (performance.now() < end) {
      database.exec("BEGIN IMMEDIATE");
      for (let row = 0; row < rows; row++, count++)
        set.run(keyOf(count), JSON.stringify(valueOf(count)));
      database.exec("COMMIT");
    }
    return (count - first) / ((performance.now() - begin) / 1000);
  };
}

const { store, close } = await openStore();
const ours = createWriter(store);
const plain = createPlain();
const result = await interleave(
  { rounds: Number(rounds) },
  {
    one: () => ours(1),
    plainOne: () => plain(1),
    fifty: () => ours(50),
    plainFifty: () => plain(50),
  },
);
await close();
console.log(JSON.stringify(result));
