// A server of h3 and nothing else: what the daemon's own layers are measured against. Its settings come as JSON in the
// first argument: { port, answer } for a route that reads, and { database } for two that write.
import { fdatasync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { H3, readBody, serve } from "h3";

const { port, answer, database } = JSON.parse(process.argv[2]);
const app = new H3();

app.get("/small", () => answer);

let count = 0;
const readItem = async (event) => ({
  id: `bch_${++count}`,
  ...(await readBody(event)),
});

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

/** A record and its event; all that comes during one flush is one transaction, flushed beside the event loop. */
function addGroupedWrites(file) {
  const { store, insert } = openDatabase(file, "NORMAL");
  const log = openSync(`${file}-wal`, "r+");
  const flush = promisify(fdatasync);
  let waiting = [];
  let isBusy = false;

  async function work() {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      store.exec("BEGIN");
      for (const { item, number } of group) {
        const changed = { id: number, type: "added", data: { id: item.id } };
        insert.run(item.id, JSON.stringify(item));
        insert.run(`event:${number}`, JSON.stringify(changed));
      }
      store.exec("COMMIT");
      await flush(log);
      for (const { resolve } of group) resolve();
    }
    isBusy = false;
  }

  app.post("/grouped", async (event) => {
    const item = await readItem(event);
    await new Promise((resolve) => {
      waiting.push({ item, number: count, resolve });
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
