import { storedFields, timestamp } from "@gantry/plugin/zod";
import * as z from "zod";

// Pages link to it, so that a record with any other scheme, from a snapshot that was edited say, is not listed.
const url = z.string().regex(/^https?:\/\//u);
/** The agent that a browser was used by; `null` for the user. */
const agentId = z.string().nullable();

/** A comment on one element of a page. */
export const annotation = z.object({
  ...storedFields,
  url,
  title: z.string(),
  /** CSS selector of the element in its page. */
  selector: z.string(),
  /** Text of the element at the time of the annotation. */
  text: z.string(),
  comment: z.string(),
  /** Where the element is, in CSS pixels from the top left corner of the page. */
  box: z.object({
    x: z.number(),
    y: z.number(),
    width: z.number().nonnegative(),
    height: z.number().nonnegative(),
  }),
  /** Computed CSS properties of the element. */
  styles: z.array(z.object({ name: z.string(), value: z.string() })),
  /** Path of the element's picture; `null` if there is none. */
  screenshot: z.string().nullable(),
  /** The agent that it was sent to last; `null` if it was not sent. */
  sentTo: z.object({ agentId: z.string(), at: timestamp }).nullable(),
});
export type Annotation = z.infer<typeof annotation>;

export const downloadState = z.enum([
  "running",
  "completed",
  "cancelled",
  "failed",
]);
export type DownloadState = z.infer<typeof downloadState>;

/** A file that a browser downloads or downloaded. */
export const download = z.object({
  ...storedFields,
  url,
  fileName: z.string(),
  state: downloadState,
  receivedBytes: z.number().int().nonnegative(),
  /** `null` while it is unknown. */
  totalBytes: z.number().int().nonnegative().nullable(),
  /** Why it failed, as text for the user; `null` unless it did. */
  problem: z.string().nullable(),
  agentId,
  /** Path of the file, if Gantry keeps it and it is complete. */
  file: z.string().nullable(),
  /** `null` while it is running. */
  endedAt: timestamp.nullable(),
});
export type Download = z.infer<typeof download>;

/** A visit to a page. Consecutive visits to the same page by the same visitor are one record. */
export const visit = z.object({
  ...storedFields,
  url,
  title: z.string(),
  agentId,
  /** Time of the last of them. */
  visitedAt: timestamp,
  /** Number of consecutive visits. */
  visits: z.number().int().positive(),
});
export type Visit = z.infer<typeof visit>;

export const permissionDecision = z.enum(["allow", "deny"]);
export type PermissionDecision = z.infer<typeof permissionDecision>;

/** The user's answer to a site that asked for a permission, such as the location. */
export const sitePermission = z.object({
  ...storedFields,
  /** Such as `https://example.com`. */
  origin: url,
  /** The permission, such as `geolocation`. */
  kind: z.string(),
  decision: permissionDecision,
  /** When the decision was last posted. */
  usedAt: timestamp,
});
export type SitePermission = z.infer<typeof sitePermission>;

/** What an agent may do in a browser, from nothing to everything. */
export const TIERS = ["none", "read", "act", "full"] as const;
export type Tier = (typeof TIERS)[number];

/** What one agent may do in a browser, and where. Its id is that of the agent. */
export const policy = z.object({
  ...storedFields,
  agentId: z.string(),
  tier: z.enum(TIERS),
  /** `example.com`, `*.example.com`, `*` for all public sites, `localhost:PORT` for a port of this machine. */
  sites: z.array(z.string()),
  /** Whether it may also go to the ports of this machine that its own processes listen on at that moment. */
  ownServers: z.boolean(),
});
export type Policy = z.infer<typeof policy>;

export const verdict = z.enum(["allowed", "refused"]);

/** A call of an agent to a browser, and what was decided. Consecutive equal calls are one record. */
export const auditEntry = z.object({
  ...storedFields,
  agentId: z.string(),
  /** Method of the browser's protocol, such as `Page.navigate`. */
  method: z.string(),
  verdict,
  /** Why it was decided so, as text for the user; `null` if nothing was said. */
  reason: z.string().nullable(),
  /** Time of the last of them. */
  at: timestamp,
  /** Number of consecutive equal calls. */
  count: z.number().int().positive(),
});
export type AuditEntry = z.infer<typeof auditEntry>;
