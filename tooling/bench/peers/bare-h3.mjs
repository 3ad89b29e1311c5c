// A server of h3 and nothing else: what the daemon's own layers are measured against. Its settings come as JSON in the
// first argument: { port, answer } for a route that reads, and { database } for one that writes.
import { DatabaseSync } from "node:sqlite";
import { H3, readBody, serve } from "h3";

const { port, answer, database } = JSON.parse(process.argv[2]);
const app = new H3();

app.get("/small", () => answer);

if (database) {
  const store = new DatabaseSync(database);
  store.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE entries (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  `);
  const insert = store.prepare("INSERT INTO entries VALUES (?, ?)");
  let count = 0;
  app.post("/items", async (event) => {
    const item = { id: `bch_${++count}`, ...(await readBody(event)) };
    insert.run(item.id, JSON.stringify(item));
    return item;
  });
}

serve(app, { port, hostname: "127.0.0.1", silent: true });
