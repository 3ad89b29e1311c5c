export type { BrowserPolicy, Tier } from "./fence/policy.ts";
export {
  annotation,
  auditEntry,
  box,
  download,
  policy,
  sitePermission,
  visit,
} from "./records/schemas.ts";
export type {
  Annotation,
  AuditEntry,
  Download,
  DownloadState,
  PermissionDecision,
  Policy,
  SitePermission,
  Visit,
} from "./records/schemas.ts";
export type { RecordChange } from "./records/events.ts";
export {
  AnnotationsChanged,
  DownloadsChanged,
  HistoryChanged,
  PermissionsChanged,
  PoliciesChanged,
  TabsChanged,
} from "./records/events.ts";
