// A server of h3 and nothing else: what the daemon's own layers are measured against. Its settings come as JSON in the
// first argument: { port, answer } for a route that reads, and { database } for two that write.
import { randomBytes } from "node:crypto";
import { fdatasync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { H3, readBody, serve } from "h3";

const { port, answer, database } = JSON.parse(process.argv[2]);
const app = new H3();

app.get("/small", () => answer);

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** What the daemon answers too: an id of the same kind, the times and the revision. */
async function readItem(event) {
  const random = Array.from(randomBytes(24), (byte) => ALPHABET[byte & 31]);
  const createdAt = new Date().toISOString();
  return {
    id: `bch_${random.join("")}`,
    ...(await readBody(event)),
    ...{ createdAt, updatedAt: createdAt, revision: 1 },
  };
}

function openDatabase(file, synchronous) {
  const store = new DatabaseSync(file);
  store.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${synchronous};
    CREATE TABLE entries (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  `);
  return {
    store,
    insert: store.prepare("INSERT INTO entries VALUES (?, ?)"),
  };
}

/** One row, with a transaction and a flush of its own. */
function addPlainWrites(file) {
  const { insert } = openDatabase(file, "FULL");
  app.post("/items", async (event) => {
    const item = await readItem(event);
    insert.run(item.id, JSON.stringify(item));
    return item;
  });
}

/**
 * The rows of the daemon: a record, its place in the order of time, and its event. All that comes during one flush is one
 * transaction, flushed beside the event loop.
 */
function addGroupedWrites(file) {
  const { store, insert } = openDatabase(file, "NORMAL");
  // As long as the daemon lets its log grow.
  store.exec("PRAGMA wal_autocheckpoint = 4000");
  const log = openSync(`${file}-wal`, "r+");
  const flush = promisify(fdatasync);
  let count = 0;
  let waiting = [];
  let isBusy = false;

  function write({ id, createdAt, ...rest }) {
    const number = String(++count).padStart(16, "0");
    const event = { id: count, type: "added", at: createdAt, subject: id };
    insert.run(`item:${id}`, JSON.stringify({ id, createdAt, ...rest }));
    insert.run(`newest:${createdAt}:${id}`, "{}");
    insert.run(`event:${number}`, JSON.stringify(event));
  }

  async function work() {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      store.exec("BEGIN");
      for (const { item } of group) write(item);
      store.exec("COMMIT");
      await flush(log);
      for (const { resolve } of group) resolve();
    }
    isBusy = false;
  }

  app.post("/grouped", async (event) => {
    const item = await readItem(event);
    await new Promise((resolve) => {
      waiting.push({ item, resolve });
      if (isBusy) return;
      isBusy = true;
      setImmediate(work);
    });
    return item;
  });
}

if (database) {
  addPlainWrites(database);
  addGroupedWrites(`${database}-grouped`);
}

serve(app, { port, hostname: "127.0.0.1", silent: true });
