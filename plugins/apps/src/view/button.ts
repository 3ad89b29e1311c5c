import * as z from "zod";
import { actionArgs, icon, kebabName, line, pagePath } from "./names.ts";

/** A button: it asks the app for an action, or leads to a page of it. */
export const button = z
  .strictObject({
    label: line.min(1),
    icon: icon.optional(),
    action: kebabName
      .optional()
      .describe("The action that it asks the app for."),
    path: pagePath
      .optional()
      .describe("Or the page of the app that it leads to."),
    args: actionArgs.describe("Goes along with the action."),
    confirm: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe("What will happen: nothing is done until it is confirmed."),
    isDanger: z.boolean().default(false).describe("It destroys something."),
    isDisabled: z.boolean().default(false),
  })
  .refine(
    ({ action, path }) => (action === undefined) !== (path === undefined),
    "needs either an action or a path",
  )
  .meta({ id: "AppButton" });
