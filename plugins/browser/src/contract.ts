export type { BrowserStatus } from "./chromium/browser-status.ts";
export type { RecordChange } from "./records/events.ts";
export {
  AnnotationsChanged,
  DownloadsChanged,
  HistoryChanged,
  PermissionsChanged,
  PoliciesChanged,
} from "./records/events.ts";
export {
  annotation,
  auditEntry,
  download,
  policy,
  sitePermission,
  TIERS,
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
  Tier,
  Visit,
} from "./records/schemas.ts";
export { TabsChanged } from "./tabs/events.ts";
export type { Tab } from "./tabs/schemas.ts";
