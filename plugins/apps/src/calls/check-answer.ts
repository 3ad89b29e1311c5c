import type * as z from "zod";
import { appActionResult } from "../action.ts";
import { errors } from "../errors.ts";
import type { RegisteredApp } from "../registry/registered-app.ts";
import { appView } from "../view.ts";

const MAX_REASON = 300;

/** A page of an app with all defaults filled in. @throws `APP_VIEW_INVALID` */
export function toView(
  data: unknown,
  registered: RegisteredApp,
): z.output<typeof appView> {
  return check(appView, data, registered);
}

/** What came of an action. An app that gives nothing had nothing to say. @throws `APP_VIEW_INVALID` */
export function toActionResult(
  data: unknown,
  registered: RegisteredApp,
): z.output<typeof appActionResult> {
  return check(appActionResult, data ?? {}, registered);
}

function check<Schema extends z.ZodType>(
  schema: Schema,
  data: unknown,
  { id, owner: { plugin } }: RegisteredApp,
): z.output<Schema> {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.map(String).join(".").slice(0, MAX_REASON);
  const reason = issue?.message.slice(0, MAX_REASON) ?? "does not fit";
  throw errors.APP_VIEW_INVALID({
    id,
    plugin,
    field: field || "the answer",
    reason,
  });
}
