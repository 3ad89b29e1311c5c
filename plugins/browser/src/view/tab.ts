import * as z from "zod";

/** A dialog that a page opened with `alert`, `confirm`, `prompt` or `beforeunload`. */
export const pageDialog = z.object({
  kind: z.enum(["alert", "confirm", "prompt", "beforeunload"]),
  message: z.string(),
  defaultText: z.string(),
});
export type PageDialog = z.infer<typeof pageDialog>;

/** A tab of a running browser. */
export const tab = z.object({
  /** Chromium's id of the target. */
  id: z.string(),
  url: z.string(),
  title: z.string(),
  loading: z.boolean(),
  canGoBack: z.boolean(),
  canGoForward: z.boolean(),
  /** The agent that it belongs to or was lent to; `null` for the user's own. */
  ownerAgentId: z.string().nullable(),
  dialog: pageDialog.nullable(),
  /** Why the page is not shown, as text for the user. */
  error: z.string().nullable(),
});
export type Tab = z.infer<typeof tab>;

/** Tabs that one browser may have, including popups. */
export const MAX_TABS = 12;
