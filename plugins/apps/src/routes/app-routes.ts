import { defineRoute, isGantryError } from "@gantry/plugin";
import type { PluginContext, RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import { appActionResult } from "../action.ts";
import type { AppCalls } from "../calls/app-calls.ts";
import { toActionResult, toView } from "../calls/check-answer.ts";
import { AppActed } from "../contract.ts";
import { errors } from "../errors.ts";
import type { RegisteredApps } from "../registry/app-registry.ts";
import type { RegisteredApp } from "../registry/registered-app.ts";
import { appView } from "../view.ts";
import { kebabName, NAME_PATTERN, pagePath } from "../view/names.ts";

const viewQuery = z.strictObject({ path: pagePath.default("") });
const newAction = z.strictObject({
  /** The name that the view gave the action. */
  action: kebabName,
  /** The page that it is asked from. */
  path: pagePath.default(""),
  args: z.record(z.string(), z.unknown()).default({}),
});

const params = {
  id: { pattern: NAME_PATTERN, missing: errors.APP_NOT_FOUND },
};
const CALL_ERRORS = [
  "APP_NOT_FOUND",
  "APP_PAGE_NOT_FOUND",
  "APP_REFUSED",
  "APP_VIEW_INVALID",
  "APP_FAILED",
  "APP_TIMEOUT",
  "APP_UNAVAILABLE",
];

/** Dependencies of {@link createAppRoutes}. */
export interface AppRoutesHost {
  apps: RegisteredApps;
  calls: AppCalls;
  context: Pick<PluginContext, "audit" | "emit" | "log">;
}

/** Shows a page of an app, and does what it is asked for. */
export function createAppRoutes(host: AppRoutesHost): RouteDefinition[] {
  return [createViewRoute(host), createActionRoute(host)];
}

function createViewRoute({ apps, calls }: AppRoutesHost): RouteDefinition {
  return defineRoute({
    method: "GET",
    path: "/api/apps/{id}/view",
    summary: "A page of an app",
    description:
      "`path` names the page; without it, it is the first one. The app has 5 s. A page that does not fit its schema is refused with the field that is wrong.",
    access: "session",
    params,
    query: viewQuery,
    returns: appView,
    errors: CALL_ERRORS,
    async handle({ params: { id }, query, requestId, signal }) {
      const { path } = query;
      const registered = apps.get(id);
      const view = await calls.call(registered, {
        kind: "view",
        requestId,
        signal,
        run: (app, given) => app.view({ path }, given),
      });
      return toView(view, registered);
    },
  });
}

function createActionRoute(host: AppRoutesHost): RouteDefinition {
  return defineRoute({
    method: "POST",
    path: "/api/apps/{id}/action",
    summary: "Do what a page of an app offers",
    description:
      "The app has 5 s; one that did not answer by then may still do it. The audit log names each action, without what came along.",
    access: "session",
    idempotent: true,
    params,
    body: newAction,
    returns: appActionResult,
    errors: [...CALL_ERRORS, "APP_ACTION_UNSUPPORTED"],
    async handle({ params: { id }, body, requestId, signal }) {
      const registered = host.apps.get(id);
      if (!registered.app.action)
        throw errors.APP_ACTION_UNSUPPORTED({ id: registered.id });
      const data = await actOnRecord(host, registered, body.action, () =>
        host.calls.call(registered, {
          kind: "action",
          requestId,
          signal,
          run: async (app, given) => app.action?.(body, given),
        }),
      );
      return toActionResult(data, registered);
    },
  });
}

/** Does an action. Records it in the audit log and, once it is done, emits an event. */
async function actOnRecord(
  { context }: AppRoutesHost,
  { id, owner: { plugin } }: RegisteredApp,
  action: string,
  act: () => Promise<unknown>,
): Promise<unknown> {
  const note = (outcome: string) =>
    context.audit("apps.action-done", { app: id, plugin, action, outcome });
  let data: unknown;
  try {
    data = await act();
  } catch (error) {
    await note(isGantryError(error) ? error.code : "failed");
    throw error;
  }
  await note("done");
  try {
    await context.emit(AppActed.of(id, { action }));
  } catch {
    // It is done all the same: an action may be what makes room on a full disk.
    context.log.warn("An action could not be told", { app: id, action });
  }
  return data;
}
