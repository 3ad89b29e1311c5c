import type { BrowserPolicy } from "../fence/policy.ts";
import { openAnnotations } from "./annotations.ts";
import type { Annotations } from "./annotations.ts";
import { openAudit } from "./audit.ts";
import type { Audit } from "./audit.ts";
import { openDownloads } from "./downloads.ts";
import type { Downloads } from "./downloads.ts";
import { openHistory } from "./history.ts";
import type { History } from "./history.ts";
import { openPermissions } from "./permissions.ts";
import type { Permissions } from "./permissions.ts";
import { openPolicies } from "./policies.ts";
import type { Policies } from "./policies.ts";
import type { RecordsHost } from "./records-host.ts";

export type { BrowserPolicy };

/** All records of the browser in the store. Works on a machine without a Chromium. */
export interface BrowserRecords {
  readonly annotations: Annotations;
  readonly audit: Audit;
  readonly downloads: Downloads;
  readonly history: History;
  readonly permissions: Permissions;
  readonly policies: Policies;
}

/** Opens the records. Downloads that were running when the daemon stopped are marked as failed. */
export async function openRecords(ctx: RecordsHost): Promise<BrowserRecords> {
  const [annotations, audit, downloads, history, permissions, policies] =
    await Promise.all([
      openAnnotations(ctx),
      openAudit(ctx),
      openDownloads(ctx),
      openHistory(ctx),
      openPermissions(ctx),
      openPolicies(ctx),
    ]);
  return { annotations, audit, downloads, history, permissions, policies };
}
