import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import type { Answer, ApiClient } from "../support/api-client.ts";
import { createChanges } from "../support/changes.ts";
import { startDaemon } from "../support/daemon.ts";
import type { Daemon } from "../support/daemon.ts";
import { askForAll } from "../support/event-fold.ts";
import { writeQuarantinedSnippets } from "../support/quarantined-snippets.ts";
import type { QuarantinedSnippet } from "../support/quarantined-snippets.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** Operations on processes and questions, whose effects have events of their own. */
const ACTS = [
  "POST /api/agents/{id}/abort",
  "POST /api/agents/{id}/ask",
  "POST /api/agents/{id}/bash",
  "POST /api/agents/{id}/bash/abort",
  "POST /api/agents/{id}/close",
  "POST /api/agents/{id}/command",
  "POST /api/agents/{id}/compact",
  "POST /api/agents/{id}/continue",
  "POST /api/agents/{id}/fork",
  "POST /api/agents/{id}/import",
  "POST /api/agents/{id}/login",
  "POST /api/agents/{id}/drop",
  // What git keeps is polled, at `git/head`.
  "POST /api/agents/{id}/git/commit",
  "POST /api/agents/{id}/git/compose",
  "POST /api/agents/{id}/git/programs",
  "POST /api/agents/{id}/git/discard",
  "POST /api/agents/{id}/git/push",
  "POST /api/agents/{id}/git/stage",
  "POST /api/agents/{id}/git/undo-commit",
  "POST /api/agents/{id}/managed/start",
  "POST /api/agents/{id}/managed/stop",
  "POST /api/agents/{id}/open",
  "POST /api/agents/{id}/pr",
  "POST /api/agents/{id}/prompt",
  "POST /api/agents/{id}/reveal",
  "POST /api/agents/{id}/share",
  "POST /api/agents/{id}/snippet",
  // It writes files and no record; the event comes when they are written.
  "POST /api/agents/{id}/turn-changes/{turnId}/restore",
  "POST /api/agents/{id}/tui-ack",
  "POST /api/agents/{id}/tui-hello",
  "POST /api/agents/{id}/ui",
  "PUT /api/agents/{id}/text",
  // They need a repository; the event is that of any change of an agent.
  "DELETE /api/agents/{id}/worktree",
  "POST /api/agents/{id}/worktree",
  "POST /api/apps/{id}/action",
  "POST /api/automations/{id}/calls/{callId}/redeliver",
  "POST /api/automations/{id}/fire",
  "POST /api/automations/{id}/stop",
  "POST /api/automations/drafts",
  "POST /api/automations/drafts/{draftId}/stop",
  "POST /api/automations/notify/test",
  "POST /api/automations/preview",
  "POST /api/auth/logout",
  "POST /api/auth/pairings",
  "POST /api/auth/token/rotate",
  // Snapshots are files on another disk; the result is reported afterwards.
  "DELETE /api/backup/snapshots/{id}",
  "POST /api/backup/now",
  "POST /api/backup/restore",
  "POST /api/backup/reveal",
  // The annotations are kept; the agent's task reports the result of the prompt.
  "POST /api/browser/annotations/send",
  "DELETE /api/browser/tabs/{id}",
  "POST /api/browser/questions/{id}",
  "POST /api/browser/tabs",
  "POST /api/browser/tabs/{id}/files",
  "POST /api/browser/tabs/{id}/navigate",
  "POST /api/inbox/{id}/reply",
  "POST /api/snips/check",
  "POST /api/snips/import",
  "POST /api/snips/{id}/expand",
  "POST /api/snips/{id}/run",
  "POST /api/terminals/{id}/prompt",
  "POST /api/terminals/{id}/run",
  "POST /api/terminals/{id}/type",
];

/** Refuses rows as a broken disk would, but only those that are meant. */
const TRIGGERS = {
  events: "LIKE 'kernel:event:%'",
  records: "NOT LIKE 'kernel:event:%'",
};

describe("a change and its event are one write", () => {
  let stack: AsyncDisposableStack;
  let daemon: Daemon;
  let api: ApiClient;
  let database: DatabaseSync;
  let quarantined: QuarantinedSnippet[];

  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const folder = stack.use(await createTemporaryFolder("change-and-event"));
    const home = join(folder.path, "home");
    quarantined = await writeQuarantinedSnippets(home, 2);
    daemon = stack.use(await startDaemon(home));
    api = await createApiClient(daemon);
    database = new DatabaseSync(join(home, "store.sqlite"));
    stack.defer(() => database.close());
  });

  afterAll(() => stack.disposeAsync());

  const changes = createChanges(() => ({ daemon, api, quarantined }));

  test.each(changes)("$operation", async ({ event, prepare }) => {
    const change = await prepare();
    await settle();

    const before = readStore();
    const told = await askForAll(api);
    const withoutEvents = await refusing("events", change);
    if (event === null) return expect(withoutEvents.status).toBe(200);
    expect(withoutEvents).toMatchObject({
      status: 503,
      body: { code: "STORAGE_UNAVAILABLE" },
    });
    expect(readStore(), "written without its event").toEqual(before);

    const withoutRecords = await refusing("records", change);
    expect(withoutRecords.status).toBe(503);
    expect(readStore(), "an event without its change").toEqual(before);
    expect(await askForAll(api), "in memory alone").toEqual(told);

    const answer = await change();
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const added = [...readStore()].filter(([key]) => !before.has(key));
    const events = added.flatMap(([key, value]) =>
      key.startsWith("kernel:event:")
        ? [(JSON.parse(value) as { type: string }).type]
        : [],
    );
    expect(events).toContain(event);
  });

  test("every operation that changes something is tried", async () => {
    const { body } = await api.call<{
      paths: Record<string, Record<string, unknown>>;
    }>("GET", "/api/openapi.json");
    const operations = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const known = [...ACTS, ...changes.map(({ operation }) => operation)];
    expect(
      operations.filter((operation) => !operation.startsWith("GET ")).sort(),
      "a new operation goes into support/changes.ts, or up there if it changes nothing itself",
    ).toEqual(known.sort());
  });

  /** Rows of the store, but for when a session was seen last. */
  function readStore(): Map<string, string> {
    const rows = database.prepare("SELECT key, value FROM entries").all();
    return new Map(
      (rows as { key: string; value: string }[])
        .filter(({ key }) => !key.startsWith("auth:session:"))
        .map(({ key, value }) => [key, value]),
    );
  }

  /** Automations with a run that has not ended; the agent of one that just began is not open yet. */
  async function runningAutomations(): Promise<unknown[]> {
    const { body } = await api.call<{
      items: { lastRun: { result: string } | null }[];
    }>("GET", "/api/automations");
    return body.items.filter(({ lastRun }) => lastRun?.result === "running");
  }

  /** Whether the latest event lists the current apps. It comes a moment after they change. */
  async function isListOfAppsTold(): Promise<boolean> {
    const { body } = await api.call<{ items: { id: string }[] }>(
      "GET",
      "/api/apps",
    );
    const told = [...readStore()].flatMap(([key, value]) => {
      if (!key.startsWith("kernel:event:")) return [];
      const { type, data } = JSON.parse(value) as {
        type: string;
        data: { apps: string[] };
      };
      return type === "apps.list-changed" ? [data.apps] : [];
    });
    const ids = (apps: string[] = []) => JSON.stringify([...apps].sort());
    return ids(told.at(-1)) === ids(body.items.map(({ id }) => id));
  }

  /** Resolves when writing has stopped: no agent is running, and the store stays the same. */
  async function settle(): Promise<void> {
    let last = "";
    await vi.waitFor(
      async () => {
        const { body } = await api.call<{ items: unknown[] }>(
          "GET",
          "/api/agents?state=open",
        );
        expect(body.items).toEqual([]);
        expect(await runningAutomations()).toEqual([]);
        expect(await isListOfAppsTold()).toBe(true);
        const now = JSON.stringify([...readStore()]);
        const isQuiet = now === last;
        last = now;
        if (!isQuiet) throw new Error("Something is still being written.");
      },
      { interval: 100 },
    );
  }

  async function refusing(
    what: keyof typeof TRIGGERS,
    change: () => Promise<Answer>,
  ): Promise<Answer> {
    const condition = TRIGGERS[what];
    database.exec(`
      CREATE TRIGGER no_set BEFORE INSERT ON entries WHEN NEW.key ${condition}
        BEGIN SELECT RAISE(ABORT, 'refused'); END;
      CREATE TRIGGER no_remove BEFORE DELETE ON entries WHEN OLD.key ${condition}
        BEGIN SELECT RAISE(ABORT, 'refused'); END;`);
    try {
      return await change();
    } finally {
      database.exec("DROP TRIGGER no_set; DROP TRIGGER no_remove;");
    }
  }
});
