import { expect } from "vitest";
import type { ApiClient } from "../api-client.ts";

/** How the last restore of a home ended; `null` if there was none. */
export type LastRestore = {
  at: string;
  snapshotId: string;
  safetySnapshotId: string;
  failure: string | null;
} | null;

/** What a daemon is killed in. Each gives whether it was acknowledged. */
export const ACTS = {
  /** Makes a snapshot. */
  now: (api: ApiClient) => call(api, "now", {}),
  /** Makes a snapshot and restores it on trial. */
  verify: (api: ApiClient) => call(api, "now", { verify: true }),
  /** Restores the first snapshot. */
  restore: (api: ApiClient, first: string) =>
    call(api, "restore", { id: first, keepsSessions: true }),
  /** Restores the records of one plugin of the first snapshot. */
  merge: (api: ApiClient, first: string) =>
    call(api, "restore", { id: first, only: "snippets" }),
  /** Restores what was there before the last restore. */
  undo: async (api: ApiClient, first: string) => {
    const last = await readLastRestore(api);
    const id = last?.safetySnapshotId ?? first;
    return call(api, "restore", { id, keepsSessions: true });
  },
};

export type Act = keyof typeof ACTS;

/** Refusal that is possible at any time, as the first scheduled snapshot or a collection of unused content may be running. */
const BUSY = "BACKUP_BUSY";

async function call(
  api: ApiClient,
  route: "now" | "restore",
  input: object,
): Promise<boolean> {
  for (;;) {
    const { status, body } = await api.call(
      "POST",
      `/api/backup/${route}`,
      input,
    );
    if (status === 200) return true;
    expect(body.code, JSON.stringify(body)).toBe(BUSY);
  }
}

export async function readLastRestore(api: ApiClient): Promise<LastRestore> {
  const { body } = await api.call<{ lastRestore: LastRestore }>(
    "GET",
    "/api/backup",
  );
  return body.lastRestore;
}
