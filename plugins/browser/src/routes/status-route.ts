import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { browserStatus } from "../chromium/browser-status.ts";
import type { BrowserStatus } from "../chromium/browser-status.ts";

/** Route that reports the installed browser and the running ones. */
export function createStatusRoute(
  readStatus: () => Promise<BrowserStatus>,
): RouteDefinition {
  return defineRoute({
    method: "GET",
    path: "/api/browser/status",
    summary: "Which browser is installed, and what runs",
    description:
      "`hint` says how to install a browser where none is found, and `problem` why the last one did not start. It starts no browser.",
    access: "session",
    returns: browserStatus,
    handle: () => readStatus(),
  });
}
