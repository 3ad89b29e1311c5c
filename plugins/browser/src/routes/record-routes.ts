import type { Log, RouteDefinition } from "@gantry/plugin";
import type { AgentMessages } from "@gantry/plugin-agents/contract";
import { createAnnotationSender } from "../annotate/send-annotations.ts";
import type { DownloadFiles } from "../downloads/download-files.ts";
import type { BrowserRecords } from "../records/open-records.ts";
import { createAnnotationRoutes } from "./annotation-routes.ts";
import { createAuditRoutes } from "./audit-routes.ts";
import { createDownloadRoutes } from "./download-routes.ts";
import { createHistoryRoutes } from "./history-routes.ts";
import { createPermissionRoutes } from "./permission-routes.ts";
import { createPolicyRoutes } from "./policy-routes.ts";

/** Dependencies of {@link createRecordRoutes}. */
export interface RecordRoutesOptions {
  records: BrowserRecords;
  messages(): AgentMessages | undefined;
  files: Pick<DownloadFiles, "read">;
  log: Pick<Log, "warn">;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
}

/** The routes of all records. */
export function createRecordRoutes({
  records,
  messages,
  files,
  ...host
}: RecordRoutesOptions): RouteDefinition[] {
  const { annotations } = records;
  return [
    ...createAnnotationRoutes(
      annotations,
      createAnnotationSender({ annotations, messages, ...host }),
    ),
    ...createAuditRoutes(records.audit),
    ...createDownloadRoutes(records.downloads, files),
    ...createHistoryRoutes(records.history),
    ...createPermissionRoutes(records.permissions),
    ...createPolicyRoutes(records.policies, messages),
  ];
}
