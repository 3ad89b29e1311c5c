import * as z from "zod";
import { appView } from "./view.ts";

/** A number or a word on an app's tile. */
export const appBadge = z.strictObject({
  text: z.string().min(1).max(20),
  tone: z
    .enum(["neutral", "success", "attention", "failed"])
    .default("neutral"),
  /** What it says, for screen readers. */
  label: z.string().max(100).optional(),
});
export type AppBadge = z.input<typeof appBadge>;

/** What a button, a row or a form of an app asks for. */
export interface AppAction {
  /** The name that the view gave the action. */
  action: string;
  /** The page that it was asked from. */
  path: string;
  /** Plain data: what the view put into the button, the chosen rows as `rows`, the fields of a form as `values`. */
  args: Readonly<Record<string, unknown>>;
}

/** What came of it. Without a view and a path, the page loads again. */
export const appActionResult = z.strictObject({
  /** Shown for a moment. */
  toast: z
    .strictObject({
      text: z.string().min(1).max(500),
      tone: z.enum(["success", "attention", "failed"]).default("success"),
    })
    .optional(),
  /** Shown in place of the page. */
  view: appView.optional(),
  /** Page of the app to go to. */
  path: z.string().max(1000).optional(),
});
export type AppActionResult = z.input<typeof appActionResult>;
