import type { RouteDefinition } from "@gantry/plugin";
import type { BrowserRecords } from "../records/browser-records.ts";
import { createAgentRecordRoutes } from "./agent-record-routes.ts";
import { createAnnotationRoutes } from "./annotation-routes.ts";
import { createDownloadRoutes } from "./download-routes.ts";
import { createHistoryRoutes } from "./history-routes.ts";
import { createPermissionRoutes } from "./permission-routes.ts";

/** Routes for records. They work on a machine without a Chromium. */
export function createRecordRoutes(records: BrowserRecords): RouteDefinition[] {
  return [
    ...createAnnotationRoutes(records.annotations),
    ...createAgentRecordRoutes(records),
    ...createDownloadRoutes(records.downloads),
    ...createHistoryRoutes(records.history),
    ...createPermissionRoutes(records.permissions),
  ];
}
