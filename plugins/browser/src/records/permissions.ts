import { createHash } from "node:crypto";
import { createIdentifier } from "@gantry/plugin";
import type { Page } from "@gantry/plugin";
import * as z from "zod";
import { ALL, PermissionsChanged } from "./events.ts";
import type { RecordQuery } from "./history.ts";
import { openRecordLog, toPublic } from "./record-log.ts";
import type { RecordsHost } from "./records-host.ts";
import { sitePermission } from "./schemas.ts";
import type { PermissionDecision, SitePermission } from "./schemas.ts";
import { createMatcher } from "./texts.ts";

/** Once there are more, the oldest permissions are removed. */
export const MAX_PERMISSIONS = 5000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The user's decision about a site. */
export interface PermissionInput {
  origin: string;
  kind: string;
  decision: PermissionDecision;
}

/** The user's decisions about what sites may use. */
export interface Permissions {
  /** The decision for a site, which is then marked as used today; `undefined` if the user has not decided. */
  find(origin: string, kind: string): Promise<SitePermission | undefined>;
  /** Stores the decision, replacing an earlier one for the same origin and kind. */
  put(input: PermissionInput): Promise<SitePermission>;
  list(query: RecordQuery): Promise<Page<SitePermission>>;
  /** @throws `STALE_REVISION` (412) */
  remove(id: string, revision?: number): Promise<boolean>;
  clear(): Promise<number>;
  /** Removes those that no site has needed for this many days. Returns their number. */
  prune(days: number): Promise<number>;
  /**
   * Calls back for each decision that was changed or, with `null`, removed. Returns a function that removes the
   * listener.
   */
  onChange(listener: (change: PermissionChange) => void): () => void;
}

/** A change that running browsers have to apply. */
export interface PermissionChange {
  origin: string;
  kind: string;
  decision: PermissionDecision | null;
}

const record = sitePermission.extend({
  sequence: z.number().int().positive(),
});
type PermissionRecord = z.infer<typeof record>;

/** Opens the permissions. */
export async function openPermissions({
  store,
  clock,
}: RecordsHost): Promise<Permissions> {
  const listeners = new Set<(change: PermissionChange) => void>();
  const tell = (change: PermissionChange) => {
    for (const listener of listeners) listener(change);
  };
  const log = await openRecordLog<PermissionRecord>({
    store,
    definition: {
      name: "permission",
      version: 1,
      schema: record,
      indexes: { site: ({ origin, kind }) => [toSiteKey(origin, kind)] },
    },
    max: MAX_PERMISSIONS,
    onRemoved(records) {
      for (const { origin, kind } of records)
        tell({ origin, kind, decision: null });
    },
  });
  const cleared = [PermissionsChanged.of(ALL, { change: "cleared" })];
  const findRecord = async (origin: string, kind: string) =>
    (
      await log.collection.list({
        index: "site",
        prefix: [toSiteKey(origin, kind)],
        limit: 1,
      })
    ).items[0];

  return {
    find: (origin, kind) =>
      log.serial(async () => {
        const found = await findRecord(origin, kind);
        if (!found) return undefined;
        // Written once a day, since a page may ask constantly.
        if (clock.now() - Date.parse(found.usedAt) < DAY_MS)
          return toPublic(found);
        const used = await log.collection.update(found.id, (current) => ({
          record: { ...current, usedAt: clock.timestamp() },
        }));
        return used && toPublic(used);
      }),
    async put({ origin, kind, decision }) {
      const permission = await log.serial(async () => {
        const usedAt = clock.timestamp();
        const found = await findRecord(origin, kind);
        const changed =
          found &&
          (await log.collection.update(found.id, (current) => ({
            record: { ...current, decision, usedAt },
            events: [PermissionsChanged.of(found.id, { change: "changed" })],
          })));
        if (changed) return changed;
        const id = createIdentifier("prm");
        const [added] = await log.add(
          [{ id, origin, kind, decision, usedAt }],
          [PermissionsChanged.of(id, { change: "added" })],
        );
        return added!;
      });
      tell({ origin, kind, decision });
      return toPublic(permission);
    },
    async list({ q, ...page }) {
      const fits = createMatcher(q);
      const { items, nextCursor } = await log.list({
        ...page,
        ...(fits && { filter: ({ origin, kind }) => fits(origin, kind) }),
      });
      return { items: items.map(toPublic), nextCursor };
    },
    async remove(id, revision) {
      const events = [PermissionsChanged.of(id, { change: "removed" })];
      return (await log.remove(id, { revision, events })) !== undefined;
    },
    clear: () => log.removeWhere(() => true, cleared),
    prune(days) {
      const before = clock.now() - days * DAY_MS;
      return log.removeWhere(
        ({ usedAt }) => Date.parse(usedAt) < before,
        cleared,
      );
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** A digest of fixed length: an origin can be longer than a key of the store. */
function toSiteKey(origin: string, kind: string): string {
  return createHash("sha256").update(`${origin} ${kind}`).digest("hex");
}
