import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import { requireCaller } from "./auth-host.ts";
import type { AuthHost } from "./auth-host.ts";
import { LOOPBACK_CALLER_ID } from "./authenticator.ts";

/** Who must pair. */
export const authMode = z.enum(["all", "loopback"]);

/** The operation that chooses who must pair. */
export function createModeRoute({
  mode,
  connections,
  audit,
}: AuthHost): RouteDefinition {
  return defineRoute({
    method: "PUT",
    path: "/api/auth/mode",
    summary: "Choose who must pair",
    description: "`all`: everyone. `loopback`: this machine itself need not.",
    access: "session",
    body: z.strictObject({ mode: authMode }),
    returns: z.object({ mode: authMode }),
    async handle({ body, caller }) {
      const from = mode.current();
      await mode.set(body.mode);
      if (body.mode === "all") connections.endSession(LOOPBACK_CALLER_ID);
      const by = requireCaller(caller).sessionId;
      await audit.record("mode.changed", { from, to: body.mode, by });
      return { mode: body.mode };
    },
  });
}
