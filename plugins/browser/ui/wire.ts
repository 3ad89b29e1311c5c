// Types only: they are those of the server, and its schemas stay out of the bundle.
export type {
  Annotation,
  AuditEntry,
  BrowserStatus,
  Download,
  DownloadState,
  PermissionDecision,
  Policy,
  Question,
  SitePermission,
  Tab,
  Tier,
  Visit,
} from "../src/contract.ts";

/** The fields of an agent that the pages use. */
export interface Agent {
  id: string;
  name: string;
  activity: "idle" | "working" | "waiting";
  /** Its CLI has to be restarted before it has the tools that it may use now, which ends its servers on these ports. */
  pendingRestart: { ports: number[] } | null;
}

/** A server that a process of an agent runs. */
export interface DevServer {
  port: number;
  program: string | null;
  url: string;
}
