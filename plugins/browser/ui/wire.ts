// Types only: they are those of the server, and its schemas stay out of the bundle.
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
} from "../src/contract.ts";

/** The fields of an agent that the pages use. */
export interface Agent {
  id: string;
  name: string;
}
