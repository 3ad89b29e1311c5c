import { defineService } from "@gantry/plugin";

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
export { QuestionChanged } from "./tools/question.ts";
export type { Question, QuestionAnswer } from "./tools/question.ts";

/** A message to an agent, as Chromium sends it over the DevTools protocol: an answer or an event. */
export interface BrowserMessage {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  sessionId?: string;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

/** The browsers of agents, which they control over the DevTools protocol within their policies. */
export interface WorkBrowser {
  /**
   * Connects an agent to its own browser, which starts if it does not run, and keeps running while it is connected. The
   * agent sees only the tabs that it opened and their popups; what its policy does not allow is answered with an error
   * that begins with `Gantry:`. A lower tier ends its sessions, and a tab whose page it may not open any more is emptied,
   * which the event `Gantry.tabEmptied` tells.
   *
   * Rejects with `BROWSER_AGENT_REFUSED` (403) if the agent may do nothing, and as opening a tab does with
   * `BROWSER_MISSING`, `BROWSER_SANDBOX` (503), `BROWSER_LIMIT` (409), `BROWSER_FAILED`, `BROWSER_GONE` (502).
   */
  connect(input: {
    agentId: string;
    /** Receives messages in the order in which Chromium sends them. */
    send(message: BrowserMessage): void;
    /** Closes the connection when it is aborted. */
    signal: AbortSignal;
  }): Promise<{
    /**
     * Takes one call: `{id, method, params, sessionId}` as plain data. Answers come through `send`. Once the browser has
     * ended, each call is answered with an error; connect again.
     */
    post(message: unknown): void;
    /** Ends the connection. The agent's tabs stay open. */
    close(): void;
  }>;
}

export const WorkBrowser = defineService<WorkBrowser>("browser.work@1");
