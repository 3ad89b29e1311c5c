import { storedFields, timestamp } from "@gantry/plugin/zod";
import * as z from "zod";

/** Where something is in a page, in CSS pixels from its top left corner. */
export const box = z.strictObject({
  x: z.number(),
  y: z.number(),
  width: z.number().nonnegative(),
  height: z.number().nonnegative(),
});

/** A comment on one element of a page. */
export const annotation = z.object({
  ...storedFields,
  url: z.string(),
  title: z.string(),
  /** Selects the element in its page; ` >>> ` enters a shadow root. */
  selector: z.string(),
  /** Text of the element at the time of the annotation. */
  text: z.string(),
  /** Source of the element, stored as text and never rendered. */
  html: z.string(),
  styles: z.array(z.object({ name: z.string(), value: z.string() })),
  comment: z.string(),
  box,
  /** Path of the element's picture; `null` if there is none. */
  screenshot: z.string().nullable(),
  /** The agent that the annotation was last sent to, and the time. */
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

/** A file that a browser downloaded. */
export const download = z.object({
  ...storedFields,
  url: z.string(),
  fileName: z.string(),
  state: downloadState,
  receivedBytes: z.number().int().nonnegative(),
  /** `null` until it is known. */
  totalBytes: z.number().int().nonnegative().nullable(),
  /** Why it failed, as text for the user; `null` otherwise. */
  problem: z.string().nullable(),
  /** Where the file is on this machine; `null` if this browser did not download it, or not completely. */
  path: z.string().nullable(),
  /** The agent that downloaded it; `null` for the user. */
  agentId: z.string().nullable(),
  endedAt: timestamp.nullable(),
});
export type Download = z.infer<typeof download>;

/** A visit to a page. Consecutive visits to the same page are one record. */
export const visit = z.object({
  ...storedFields,
  url: z.string(),
  title: z.string(),
  /** Whether the address was typed. */
  typed: z.boolean(),
  /** The agent that opened it; `null` for the user. */
  agentId: z.string().nullable(),
  visitedAt: timestamp,
  /** Number of consecutive visits that this record stands for. */
  visits: z.number().int().positive(),
});
export type Visit = z.infer<typeof visit>;

export const permissionDecision = z.enum(["allow", "deny"]);
export type PermissionDecision = z.infer<typeof permissionDecision>;

/** The user's answer to a site that requested a permission, such as the location. */
export const sitePermission = z.object({
  ...storedFields,
  /** Such as `https://example.com`. */
  origin: z.string(),
  /** The kind of permission, such as `geolocation`. */
  kind: z.string(),
  decision: permissionDecision,
  /** The day on which it was last decided or needed. */
  usedAt: timestamp,
});
export type SitePermission = z.infer<typeof sitePermission>;

/** What one agent may do in the browser, and where. */
export const policy = z.object({
  ...storedFields,
  agentId: z.string(),
  tier: z.enum(["none", "read", "act", "full"]),
  /** `example.com`, `*.example.com`, `*` for all public sites, `localhost:PORT` for a port of this machine. */
  sites: z.array(z.string()),
  /** Whether it may also open ports that its own processes listen on. */
  ownServers: z.boolean(),
});
export type Policy = z.infer<typeof policy>;

/** A protocol call of an agent, with the guard's decision. Equal calls in a row are one entry. */
export const auditEntry = z.object({
  ...storedFields,
  agentId: z.string(),
  method: z.string(),
  verdict: z.enum(["allowed", "refused"]),
  /** Why it was refused, as text for the user; `null` otherwise. */
  reason: z.string().nullable(),
  at: timestamp,
  count: z.number().int().positive(),
});
export type AuditEntry = z.infer<typeof auditEntry>;
