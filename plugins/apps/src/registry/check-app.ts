import * as z from "zod";
import type { App } from "../contract.ts";
import { icon, kebabName } from "../view/names.ts";

const isFunction = (value: unknown) => typeof value === "function";

const appSchema = z.object({
  id: kebabName,
  name: z.string().trim().min(1).max(60),
  icon,
  summary: z.string().trim().min(1).max(300),
  view: z.custom(isFunction, "must be a function"),
  badge: z.custom(isFunction, "must be a function").optional(),
  action: z.custom(isFunction, "must be a function").optional(),
});

/**
 * Checks what a plugin hands over as an app, and gives its texts as they are now.
 *
 * @throws TypeError that names the member that does not fit
 */
export function checkApp(
  app: unknown,
): Pick<App, "id" | "name" | "icon" | "summary"> {
  const result = appSchema.safeParse(app);
  if (result.success) {
    const { id, name, icon: appIcon, summary } = result.data;
    return { id, name, icon: appIcon, summary };
  }
  const [issue] = result.error.issues;
  const member = issue?.path.join(".") || "it";
  throw new TypeError(
    `The app cannot be added: ${member}: ${issue?.message ?? "does not fit"}.`,
  );
}
