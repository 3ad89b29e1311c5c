import type { RouteDefinition } from "@gantry/plugin";
import type { AgentMessages } from "@gantry/plugin-agents/contract";
import type { DownloadFiles } from "../downloads/download-files.ts";
import type { BrowserRecords } from "../records/open-records.ts";
import { createAnnotationRoutes } from "./annotation-routes.ts";
import { createAuditRoutes } from "./audit-routes.ts";
import { createDownloadRoutes } from "./download-routes.ts";
import { createHistoryRoutes } from "./history-routes.ts";
import { createPermissionRoutes } from "./permission-routes.ts";
import { createPolicyRoutes } from "./policy-routes.ts";

/** The routes of all records. */
export function createRecordRoutes(
  records: BrowserRecords,
  messages: () => AgentMessages | undefined,
  files: Pick<DownloadFiles, "read">,
): RouteDefinition[] {
  return [
    ...createAnnotationRoutes(records.annotations),
    ...createAuditRoutes(records.audit),
    ...createDownloadRoutes(records.downloads, files),
    ...createHistoryRoutes(records.history),
    ...createPermissionRoutes(records.permissions),
    ...createPolicyRoutes(records.policies, messages),
  ];
}
