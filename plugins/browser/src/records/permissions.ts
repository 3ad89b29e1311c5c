import { createHash } from "node:crypto";
import { createIdentifier, MACHINE_PREFIX } from "@gantry/plugin";
import type { Clock, Page, Store } from "@gantry/plugin";
import { PermissionsChanged } from "./events.ts";
import { readMarks } from "./read-marks.ts";
import { openRecordLog } from "./record-log.ts";
import type { RecordLog, RecordQuery } from "./record-log.ts";
import { sitePermission } from "./schemas.ts";
import type { SitePermission } from "./schemas.ts";

/** Once there are more, the oldest permissions are removed. */
export const MAX_PERMISSIONS = 5000;
/** Sites whose permission was removed or denied on this machine; a restore does not give it back. */
const REVOKED = `${MACHINE_PREFIX}revoked-permission:`;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The user's decision about a site. */
export type PermissionInput = Pick<
  SitePermission,
  "origin" | "kind" | "decision"
>;

/** The user's decisions about what sites may use. */
export interface Permissions {
  /** Stores a decision. It replaces the one for the same origin and kind, which keeps its place in the list. */
  put(input: PermissionInput): Promise<SitePermission>;
  list(query: RecordQuery): Promise<Page<SitePermission>>;
  /** @throws `STALE_REVISION` (412) */
  remove(id: string, revision?: number): Promise<boolean>;
  /** Returns the number of those that were removed. */
  clear(): Promise<number>;
  /** Removes those that were not posted for this many days. Returns their number. */
  prune(days: number): Promise<number>;
}

/** Opens the permissions. */
export async function openPermissions({
  store,
  clock,
}: {
  store: Store;
  clock: Clock;
}): Promise<Permissions> {
  const toRevoke = (permission: Pick<SitePermission, "origin" | "kind">) =>
    ({
      type: "set",
      key: REVOKED + toSiteKey(permission),
      value: { at: clock.timestamp() },
    }) as const;
  const log: RecordLog<SitePermission> = await openRecordLog<SitePermission>({
    ...{ store, name: "permission", version: 1, schema: sitePermission },
    max: MAX_PERMISSIONS,
    indexes: { site: (permission) => [toSiteKey(permission)] },
    // A backup may bring another decision about a site.
    unique: ["site"],
    textsOf: ({ origin, kind }) => [origin, kind],
    changed: PermissionsChanged,
    async toRemoveBeside(id) {
      const found = await log.get(id);
      return found?.decision === "allow" ? [toRevoke(found)] : [];
    },
  });
  const revoked = await readMarks(store, REVOKED, MAX_PERMISSIONS);
  await log.removeWhere(
    (permission) =>
      permission.decision === "allow" && revoked.has(toSiteKey(permission)),
  );
  return {
    put: (input) =>
      log.exclusive(async () => {
        const usedAt = clock.timestamp();
        const found = await log.find("site", toSiteKey(input));
        const { decision } = input;
        const mark = toRevoke(input);
        // First: whatever comes between, nothing is allowed that is not to be.
        await store.batch([
          decision === "deny" ? mark : { type: "remove", key: mark.key },
        ]);
        const changed =
          found &&
          (await log.change(found.id, (current) => ({
            ...{ ...current, decision, usedAt },
          })));
        return (
          changed ?? log.add({ ...input, id: createIdentifier("prm"), usedAt })
        );
      }),
    list: (query) => log.list(query),
    remove: log.remove,
    clear: () => log.removeWhere(() => true),
    prune(days) {
      const before = clock.now() - days * DAY_MS;
      return log.removeWhere(({ usedAt }) => Date.parse(usedAt) < before);
    },
  };
}

/** A digest of fixed length: an origin can be longer than a key of the store. */
function toSiteKey({
  origin,
  kind,
}: Pick<SitePermission, "origin" | "kind">): string {
  return createHash("sha256").update(`${origin} ${kind}`).digest("hex");
}
