import { definePlugin, defineRoute, paginate } from "@gantry/plugin";
import type { NewEvent, PluginContext, PluginDefinition } from "@gantry/plugin";
import { okAnswer } from "@gantry/plugin/zod";
import {
  BackupChanged,
  BackupProgressed,
  backupState,
  RestoreBegun,
  RestoreEnded,
  SnapshotDeleted,
  SnapshotFailed,
  SnapshotMade,
  SnapshotVerified,
  VerificationFailed,
} from "../../../src/contract.ts";
import type {
  BackupJob,
  BackupState,
  RestorePreview,
  Snapshot,
} from "../../../src/contract.ts";
import { errors } from "../../../src/errors.ts";
import {
  deleteInput,
  nowAnswer,
  nowInput,
  pageQuery,
  restoreAnswer,
  restoreInput,
  revealAnswer,
  revealInput,
  settingsInput,
  snapshotId,
  snapshotPage,
} from "../../../src/routes/inputs.ts";
import type { NowAnswer, RestoreInput } from "../../../src/routes/inputs.ts";
import { emptyState, toSnapshot } from "./samples.ts";

type Operation = "save" | "now" | "preview" | "restore" | "delete";

/** A backup that does what a test says, for states that are hard to reach with a real one. */
export interface ScriptedBackup {
  readonly plugin: PluginDefinition;
  /** What was asked for. */
  readonly calls: { operation: Operation; body: unknown }[];
  /** Begins anew: with these snapshots, the newest first, and a folder if there are any. */
  reset(snapshots?: Snapshot[], state?: Partial<BackupState>): void;
  /** Changes the state and tells pages of it. */
  change(state: Partial<BackupState>): Promise<void>;
  /** What a job reports, `undefined` once it is over. */
  progress(job: BackupJob | null): Promise<void>;
  /** What the next call of an operation does in place of succeeding. */
  answerOnce(operation: Operation, answer: () => Promise<void>): void;
  preview: (input: RestoreInput, snapshot: Snapshot) => RestorePreview;
  emit(...events: NewEvent[]): Promise<void>;
}

export function createScriptedBackup(): ScriptedBackup {
  let ctx: PluginContext | undefined;
  let state = emptyState;
  let snapshots: Snapshot[] = [];
  const calls: ScriptedBackup["calls"] = [];
  const answers = new Map<Operation, () => Promise<void>>();

  const emit = async (...events: NewEvent[]) => ctx?.emit(...events);
  const read = (): BackupState => ({
    ...state,
    snapshots: snapshots.length,
    totalBytes: snapshots.reduce((sum, { ownBytes }) => sum + ownBytes, 0),
    lastSnapshot: snapshots[0] ?? null,
  });

  async function note(operation: Operation, body: unknown): Promise<void> {
    calls.push({ operation, body });
    const answer = answers.get(operation);
    answers.delete(operation);
    await answer?.();
  }

  function find(id: string): Snapshot {
    const found = snapshots.find((snapshot) => snapshot.id === id);
    if (!found) throw errors.BACKUP_SNAPSHOT_NOT_FOUND({ id });
    return found;
  }

  async function make(
    reason: Snapshot["reason"],
    createdAt: string,
  ): Promise<Snapshot> {
    const made = toSnapshot(
      { createdAt, reason, isEncrypted: state.isEncrypted },
      1000 + calls.length,
    );
    snapshots = [made, ...snapshots];
    state = { ...state, problem: null };
    await emit(SnapshotMade.of(made.id, { ownBytes: made.ownBytes, reason }));
    return made;
  }

  async function prove(snapshot: Snapshot, at: string): Promise<NowAnswer> {
    const proven = { ...snapshot, verifiedAt: at };
    snapshots = snapshots.map((one) => (one.id === proven.id ? proven : one));
    state = { ...state, lastVerifiedAt: at };
    const { id, records, files } = proven;
    await emit(SnapshotVerified.of(id, { records, files }));
    return {
      snapshot: proven,
      verified: { ok: true, at, plugins: 7, records, files },
    };
  }

  const script: ScriptedBackup = {
    calls,
    emit,
    reset(next = [], changes = {}) {
      snapshots = next;
      calls.length = 0;
      answers.clear();
      const settings = {
        ...emptyState.settings,
        folder: next.length > 0 ? "/media/ada/Disk" : null,
      };
      state = { ...emptyState, settings, ...changes };
      script.preview = toPreview;
    },
    async change(changes) {
      state = { ...state, ...changes };
      await emit(BackupChanged.of("backup", state.settings));
    },
    async progress(job) {
      state = { ...state, job };
      if (job) await emit(BackupProgressed.of(job.snapshotId ?? "", job));
    },
    answerOnce: (operation, answer) => void answers.set(operation, answer),
    preview: toPreview,
    plugin: definePlugin({
      id: "backup",
      api: 1,
      summary: "Does what the test says",
      mounts: ["/api/backup"],
      events: [
        BackupChanged,
        BackupProgressed,
        RestoreBegun,
        RestoreEnded,
        SnapshotDeleted,
        SnapshotFailed,
        SnapshotMade,
        SnapshotVerified,
        VerificationFailed,
      ],
      errors,
      setup(context) {
        ctx = context as PluginContext;
        for (const route of [...stateRoutes(), ...snapshotRoutes()])
          context.route(route);
      },
    }),
  };

  const codes = Object.keys(errors.definitions);
  const stateRoutes = () => [
    defineRoute({
      method: "GET",
      path: "/api/backup",
      summary: "The state",
      access: "session",
      returns: backupState,
      handle: read,
    }),
    defineRoute({
      method: "PUT",
      path: "/api/backup",
      summary: "Saves settings",
      access: "session",
      body: settingsInput,
      returns: backupState,
      errors: codes,
      async handle({ body }) {
        await note("save", body);
        const { passphrase, ...settings } = body;
        const known = Object.entries(settings).filter(
          ([, value]) => value !== undefined,
        );
        state = {
          ...state,
          settings: { ...state.settings, ...Object.fromEntries(known) },
          isEncrypted:
            passphrase === undefined ? state.isEncrypted : passphrase !== null,
          hasKey: passphrase === undefined ? state.hasKey : passphrase !== null,
        };
        await emit(BackupChanged.of("backup", state.settings));
        return read();
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/backup/now",
      summary: "Makes a snapshot",
      access: "session",
      body: nowInput,
      returns: nowAnswer,
      errors: codes,
      async handle({ body }) {
        await note("now", body);
        if (state.settings.folder === null)
          throw errors.BACKUP_FOLDER_MISSING({});
        const at = ctx!.clock.timestamp();
        const snapshot = body.id ? find(body.id) : await make("manual", at);
        return body.verify
          ? await prove(snapshot, at)
          : { snapshot, verified: null };
      },
    }),
  ];

  const snapshotRoutes = () => [
    defineRoute({
      method: "GET",
      path: "/api/backup/snapshots",
      summary: "Snapshots",
      access: "session",
      query: pageQuery,
      returns: snapshotPage,
      errors: codes,
      handle: ({ query }) =>
        paginate(snapshots, query, ({ createdAt, id }) => createdAt + id),
    }),
    defineRoute({
      method: "DELETE",
      path: "/api/backup/snapshots/{id}",
      summary: "Deletes a snapshot",
      access: "session",
      params: snapshotId,
      body: deleteInput,
      returns: okAnswer,
      errors: codes,
      async handle({ params: { id = "" }, body }) {
        await note("delete", { id, ...body });
        const good = snapshots.find(({ problem }) => problem === null);
        if (find(id) === good && !body.confirm)
          throw errors.BACKUP_LAST_GOOD({ id });
        snapshots = snapshots.filter((snapshot) => snapshot.id !== id);
        await emit(SnapshotDeleted.of(id, { reason: "asked" }));
        return { ok: true as const };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/backup/reveal",
      summary: "Shows a folder",
      access: "session",
      body: revealInput,
      returns: revealAnswer,
      errors: codes,
      handle: ({ body }) => ({
        path: body.id ? find(body.id).path : (state.settings.folder ?? ""),
        opened: false,
      }),
    }),
    defineRoute({
      method: "POST",
      path: "/api/backup/restore",
      summary: "Restores",
      access: "session",
      body: restoreInput,
      returns: restoreAnswer,
      errors: codes,
      async handle({ body }) {
        const snapshot = find(body.id);
        await note(body.preview ? "preview" : "restore", body);
        if (body.preview) return { preview: script.preview(body, snapshot) };
        const at = ctx!.clock.timestamp();
        const safety = await make("safety", at);
        const only = toOnly(body);
        state = {
          ...state,
          lastRestore: {
            at,
            snapshotId: body.id,
            only,
            safetySnapshotId: safety.id,
            failure: null,
          },
        };
        await emit(RestoreEnded.of(body.id, { only, failure: null }));
        return {
          ok: true as const,
          safetySnapshotId: safety.id,
          restarts: only === null,
        };
      },
    }),
  ];

  return script;
}

function toOnly({ only }: RestoreInput): string[] | null {
  return only === undefined ? null : typeof only === "string" ? [only] : only;
}

/** What a restore might do to each part that is asked for. */
function toPreview(input: RestoreInput, snapshot: Snapshot): RestorePreview {
  const only = toOnly(input);
  const names =
    only ??
    snapshot.parts
      .map(({ name }) => name)
      .filter((name) => !name.includes(":"));
  return {
    snapshot,
    only,
    closesAgents: only === null ? 2 : 0,
    parts: names.map((name) => ({
      name,
      added: name === "snippets" ? 3 : 0,
      changed: name === "snippets" ? 2 : name === "automations" ? 1 : 0,
      left: 19,
      removed: only === null && name === "inbox" ? 12 : 0,
      examples:
        name === "snippets"
          ? [
              {
                id: "snp_aaaaaaaaaaaaaaaaaaaaaaaa",
                title: "Review a pull request",
                change: "added" as const,
              },
              {
                id: "snp_bbbbbbbbbbbbbbbbbbbbbbbb",
                title: null,
                change: "changed" as const,
              },
            ]
          : [],
    })),
  };
}
