import { defineRoute, paginate } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { okAnswer } from "@gantry/plugin/zod";
import { backupState } from "../../../src/contract.ts";
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
import type { ScriptedStore } from "./scripted-store.ts";

/** What is the same in all of them: the test decides what goes wrong. */
const usual = {
  summary: "Does what the test says",
  access: "session",
  errors: Object.keys(errors.definitions),
} as const;

/** The operations of the real plugin, on a scripted backup. */
export function createScriptedRoutes(store: ScriptedStore): RouteDefinition[] {
  return [...stateRoutes(store), ...snapshotRoutes(store)];
}

function stateRoutes(store: ScriptedStore): RouteDefinition[] {
  return [
    defineRoute({
      ...usual,
      method: "GET",
      path: "/api/backup",
      returns: backupState,
      handle: () => store.read(),
    }),
    defineRoute({
      ...usual,
      method: "PUT",
      path: "/api/backup",
      body: settingsInput,
      returns: backupState,
      async handle({ body }) {
        await store.note("save", body);
        await store.save(body);
        return store.read();
      },
    }),
    defineRoute({
      ...usual,
      method: "POST",
      path: "/api/backup/now",
      body: nowInput,
      returns: nowAnswer,
      async handle({ body }) {
        await store.note("now", body);
        if (store.state.settings.folder === null)
          throw errors.BACKUP_FOLDER_MISSING({});
        const snapshot = body.id
          ? store.find(body.id)
          : await store.make("manual");
        return body.verify
          ? await store.prove(snapshot)
          : { snapshot, verified: null };
      },
    }),
    defineRoute({
      ...usual,
      method: "POST",
      path: "/api/backup/restore",
      body: restoreInput,
      returns: restoreAnswer,
      async handle({ body }) {
        const snapshot = store.find(body.id);
        await store.note(body.preview ? "preview" : "restore", body);
        if (body.preview) return { preview: store.preview(body, snapshot) };
        const safety = await store.restore(body);
        return {
          ok: true as const,
          safetySnapshotId: safety.id,
          restarts: body.only === undefined,
        };
      },
    }),
  ];
}

function snapshotRoutes(store: ScriptedStore): RouteDefinition[] {
  return [
    defineRoute({
      ...usual,
      method: "GET",
      path: "/api/backup/snapshots",
      query: pageQuery,
      returns: snapshotPage,
      handle: ({ query }) =>
        paginate(store.snapshots, query, ({ createdAt, id }) => createdAt + id),
    }),
    defineRoute({
      ...usual,
      method: "DELETE",
      path: "/api/backup/snapshots/{id}",
      params: snapshotId,
      body: deleteInput,
      returns: okAnswer,
      async handle({ params: { id }, body }) {
        await store.note("delete", { id, ...body });
        await store.remove(id, body.confirm);
        return { ok: true as const };
      },
    }),
    defineRoute({
      ...usual,
      method: "POST",
      path: "/api/backup/reveal",
      body: revealInput,
      returns: revealAnswer,
      handle: ({ body }) => ({
        path: body.id
          ? store.find(body.id).path
          : (store.state.settings.folder ?? ""),
        opened: false,
      }),
    }),
  ];
}
