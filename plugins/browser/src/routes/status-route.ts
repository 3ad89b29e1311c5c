import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { browserStatus } from "../chromium/status.ts";
import type { BrowserStatus } from "../chromium/status.ts";

/** Route that reports the installed browser and the running ones. */
export function createStatusRoute(
  readStatus: () => Promise<BrowserStatus>,
): RouteDefinition {
  return defineRoute({
    method: "GET",
    path: "/api/browser/status",
    summary: "Which browser there is, and what runs",
    access: "session",
    returns: browserStatus,
    handle: () => readStatus(),
  });
}
