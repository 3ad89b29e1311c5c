import type { Clock, Store } from "@gantry/plugin";
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

/** All records of browsers. */
export interface BrowserRecords {
  readonly annotations: Annotations;
  readonly audit: Audit;
  readonly downloads: Downloads;
  readonly history: History;
  readonly permissions: Permissions;
  readonly policies: Policies;
}

/** Opens the records. */
export async function openRecords(host: {
  store: Store;
  clock: Clock;
}): Promise<BrowserRecords> {
  const [annotations, audit, downloads, history, permissions, policies] =
    await Promise.all([
      openAnnotations(host),
      openAudit(host),
      openDownloads(host),
      openHistory(host),
      openPermissions(host),
      openPolicies(host),
    ]);
  return { annotations, audit, downloads, history, permissions, policies };
}
