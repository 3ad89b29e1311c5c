import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createApiClient } from "../../support/api-client.ts";
import type { Daemon } from "../../support/daemon.ts";
import { descendantsOf } from "./processes.ts";
import type { Route } from "./routes.ts";
import { readTree } from "./tree.ts";

/** Everything that an attack could have changed, each thing by a name of its own. */
export type State = Readonly<Record<string, string>>;

/** Looks at a daemon from all sides: its API, its store, its processes, its files and those round it. */
export interface StateProbe {
  read(): Promise<State>;
  close(): void;
}

/** Routes about the daemon itself, whose answers are never quite the same. */
const OF_ITSELF = new Set(["/api/openapi.json", "/api/doctor"]);
/** Use of a session is noted once a minute, and is no change. */
const OF_USE = ["lastSeenAt", "online"];
/** Badges of apps tell what runs and what is logged just now; a disk is also written by others. */
const OF_THE_MOMENT: Readonly<Record<string, readonly string[]>> = {
  "/api/apps": ["badge"],
  "/api/backup": ["freeBytes", "nextSnapshotAt", "totalBytes"],
};
/** What a note of use moves with it in the store. */
const OF_USE_STORED = [...OF_USE, "updatedAt", "revision"];

/** The list of a webhook's calls is there to grow by attacks, as the audit log is. */
const LEDGER = /^automations:call[:~]/;

/**
 * Makes the probe.
 *
 * @param folder Where the home, the workspaces and the canaries of the test are.
 */
export async function createStateProbe(
  daemon: Daemon,
  folder: string,
  routes: readonly Route[],
): Promise<StateProbe> {
  const api = await createApiClient(daemon);
  const database = new DatabaseSync(join(daemon.home, "store.sqlite"), {
    readOnly: true,
  });
  const rows = database.prepare("SELECT key, value FROM entries ORDER BY key");
  const lists = routes.filter(
    ({ method, path, answers }) =>
      method === "GET" &&
      answers === "json" &&
      !path.includes("{") &&
      !OF_ITSELF.has(path),
  );

  async function readApi(): Promise<[string, string][]> {
    return Promise.all(
      lists.map(async ({ path }): Promise<[string, string]> => {
        const { status, body } = await api.call("GET", path);
        const passing = path.startsWith("/api/auth/session")
          ? OF_USE_STORED
          : [...OF_USE, ...(OF_THE_MOMENT[path] ?? [])];
        return [`GET ${path}`, `${status} ${renderWithout(body, passing)}`];
      }),
    );
  }

  function readStore(): [string, string][] {
    return (rows.all() as { key: string; value: string }[])
      .filter(({ key }) => !LEDGER.test(key))
      .map(({ key, value }) => [
        `store ${key}`,
        key.startsWith("auth:session:")
          ? renderWithout(JSON.parse(value), OF_USE_STORED)
          : value,
      ]);
  }

  function readFiles(): [string, string][] {
    // The database is looked at row by row; what the daemon can make again is its own affair; the audit log is there to
    // grow by attacks.
    const isPassing = (path: string) =>
      /^home\/(store\.sqlite|(cache|audit)(\/|$))/.test(path);
    const canaries = readdirSync("/tmp").filter((name) =>
      name.startsWith("canary-"),
    );
    return [
      ...[...readTree(folder, isPassing)].map(
        ([path, what]): [string, string] => [`file ${path}`, what],
      ),
      ...canaries.map((name): [string, string] => [`file /tmp/${name}`, ""]),
    ];
  }

  return {
    async read() {
      return Object.fromEntries([
        ...(await readApi()),
        ...readStore(),
        ...readFiles(),
        ...[...descendantsOf(daemon.pid)].map(([pid, command]) => [
          `process ${pid}`,
          command,
        ]),
      ]);
    },
    close: () => database.close(),
  };
}

/** As JSON with its names in order: a record that was written again may have them in another one. */
function renderWithout(value: unknown, names: readonly string[]): string {
  return JSON.stringify(value, (name, part: unknown) => {
    if (names.includes(name)) return undefined;
    if (typeof part !== "object" || part === null || Array.isArray(part))
      return part;
    return Object.fromEntries(
      Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)),
    );
  });
}
