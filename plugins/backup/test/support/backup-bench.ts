import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import {
  definePlugin,
  type EventRecord,
  type PluginContext,
  type PluginDefinition,
} from "@gantry/plugin";
import {
  startTestKernel,
  type TestAnswer,
  type TestKernel,
  type TestKernelOptions,
} from "@gantry/plugin-testing";
import type {
  BackupState,
  RestorePreview,
  Snapshot,
} from "../../src/contract.ts";
import plugin from "../../src/index.ts";
import type { NowAnswer } from "../../src/routes/inputs.ts";
import { createFakeWholeHome, type FakeWholeHome } from "./fake-whole-home.ts";

/** After a start, a moment passes before snapshots are made. */
const START_DELAY_MS = 5000;

/** A problem document. */
export interface Problem {
  code: string;
  detail: string;
}

/** A kernel with the backup of a home that the test fills, and short ways to what tests do most. */
export interface BackupBench extends AsyncDisposable {
  kernel: TestKernel;
  home: FakeWholeHome;
  /** An empty folder for snapshots. */
  folder: string;
  state(): Promise<BackupState>;
  change(settings: object): Promise<TestAnswer<BackupState & Problem>>;
  /** Makes a snapshot; throws if it is refused. */
  backUp(body?: object): Promise<NowAnswer>;
  now(body?: object): Promise<TestAnswer<NowAnswer & Problem>>;
  restore(body: object): Promise<
    TestAnswer<
      {
        ok: true;
        safetySnapshotId: string;
        restarts: boolean;
        preview: RestorePreview;
      } & Problem
    >
  >;
  list(): Promise<Snapshot[]>;
  remove(id: string, body?: object): Promise<TestAnswer<Problem>>;
  /** Writes a file of a plugin: `agents/transcripts/one.jsonl`. */
  fill(path: string, content: string | Uint8Array): Promise<void>;
  /** Names of the events of the plugin so far. */
  told(): string[];
  /** Starts the daemon again and lets it do what it does after a start. */
  restart(): Promise<void>;
  /** Resolves when no job is running. */
  rest(): Promise<void>;
  /** Events of a type in the log, also of what a daemon did while it started. */
  logged(type: string): Promise<EventRecord[]>;
}

/** The plugin with a home of the test's own. */
export function withHome(home: PluginContext["wholeHome"]): PluginDefinition {
  return definePlugin({
    ...plugin,
    setup: (ctx) => plugin.setup({ ...ctx, wholeHome: home }),
  } as PluginDefinition);
}

/** What differs from the usual bench. */
export interface BackupBenchOptions extends TestKernelOptions {
  beside?: readonly PluginDefinition[];
  /** Whether a folder is chosen, without a schedule that comes between; it is unless said. */
  hasFolder?: boolean;
  fakeHome?: FakeWholeHome;
}

/** Starts it with three records and two files. */
export async function startBackup({
  beside = [],
  hasFolder = true,
  fakeHome,
  ...options
}: BackupBenchOptions = {}): Promise<BackupBench> {
  const home = fakeHome ?? (await createFakeWholeHome());
  home.rehearsed = [];
  const parent = await realpath(
    await mkdtemp(join(tmpdir(), "gantry-backup-")),
  );
  const folder = join(parent, "snapshots");
  const kernel = await startTestKernel([...beside, withHome(home)], {
    ...options,
    // To try a passphrase is to take no time here.
    settings: { backup: { passphraseWork: 10 }, ...options.settings },
  });
  const { api } = kernel;
  home.rehearse = (_, signal) => {
    signal.throwIfAborted();
    const rest = kernel.kernel.plugins
      .list()
      .filter(({ id }) => !home.rehearsed.some((plugin) => plugin.id === id))
      .map(({ id }) => ({ id, state: "active", reason: null }));
    return Promise.resolve({
      plugins: [...home.rehearsed, ...rest],
      recordVersions: home.recordVersions(),
    });
  };

  const bench: BackupBench = {
    ...{ kernel, home, folder },
    state: async () => (await api.get<BackupState>("/api/backup")).body,
    change: (settings) => api.put("/api/backup", settings),
    async backUp(body = {}) {
      const answer = await bench.now(body);
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      return answer.body;
    },
    now: (body = {}) => api.post("/api/backup/now", body),
    restore: (body) => api.post("/api/backup/restore", body),
    async list() {
      const { body } = await api.get<{ items: Snapshot[] }>(
        "/api/backup/snapshots",
        { limit: 500 },
      );
      return body.items;
    },
    remove: (id, body) => api.delete(`/api/backup/snapshots/${id}`, body),
    async fill(path, content) {
      await mkdir(dirname(join(home.data, path)), { recursive: true });
      await writeFile(join(home.data, path), content);
    },
    told: () =>
      kernel.events
        .all()
        .filter(({ plugin: emitter }: EventRecord) => emitter === "backup")
        .map(({ type }) => type),
    async restart() {
      await kernel.restart();
      await kernel.clock.advance(START_DELAY_MS);
      await bench.rest();
    },
    rest: async () =>
      await expect.poll(async () => (await bench.state()).job).toBeNull(),
    async logged(type) {
      const { body } = await api.get<{ items: EventRecord[] }>(
        "/api/events/log",
        { limit: 500 },
      );
      return body.items.filter((event) => event.type === type);
    },
    async [Symbol.asyncDispose]() {
      await kernel.stop();
      await home[Symbol.asyncDispose]();
      await rm(parent, { recursive: true, force: true });
    },
  };
  // What is done after a start is not to come between.
  const start = kernel.clock.now();
  await kernel.clock.advance(START_DELAY_MS);
  kernel.clock.jumpWall(start);
  if (hasFolder) {
    // The schedule does nothing within the month that a test may take.
    const answer = await bench.change({ folder, everyMinutes: 43_200 });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  }
  return bench;
}

/** Puts a record into the store of a home, as a collection does. */
export function putRecord(
  { entries }: FakeWholeHome,
  kind: string,
  id: string,
  data: object,
): void {
  entries.set(`${kind}:${id}`, JSON.stringify({ v: 1, data: { id, ...data } }));
}
