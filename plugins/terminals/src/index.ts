import { definePlugin } from "@gantry/plugin";
import { terminalsConfig } from "./config.ts";
import {
  TerminalChanged,
  TerminalClosed,
  TerminalExited,
  TerminalHost,
  TerminalOpened,
  TerminalPanes,
} from "./contract.ts";
import { errors } from "./errors.ts";
import { createParts } from "./plugin-parts.ts";
import { createInputRoutes } from "./routes/input-routes.ts";
import { createTerminalRoutes } from "./routes/terminal-routes.ts";
import {
  createTerminalHost,
  createTerminalPanes,
} from "./terminals/services.ts";

export default definePlugin({
  id: "terminals",
  api: 1,
  summary:
    "Shells and the screens of agent CLIs, which outlive a restart of the daemon",
  mounts: ["/api/terminals"],
  config: terminalsConfig,
  provides: [TerminalPanes, TerminalHost],
  events: [TerminalOpened, TerminalChanged, TerminalExited, TerminalClosed],
  errors,
  async setup(ctx) {
    const parts = await createParts(ctx);
    const { terminals, send, programs, sockets, close } = parts;
    for (const route of [
      ...createTerminalRoutes(terminals, programs, close),
      ...createInputRoutes(terminals, send),
    ])
      ctx.route(route);
    ctx.socket(sockets.definition);
    ctx.provide(TerminalPanes, createTerminalPanes(terminals, send));
    ctx.provide(TerminalHost, createTerminalHost(terminals, send, close));
  },
});
