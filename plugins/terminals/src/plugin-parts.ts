import { join } from "node:path";
import type { PluginContext } from "@gantry/plugin";
import type { TerminalsConfig } from "./config.ts";
import { HostLink } from "./hosting/host-link.ts";
import { createAttachSockets } from "./routes/attach-socket.ts";
import { createShellIntegration } from "./terminals/shell-integration.ts";
import { createSendText } from "./terminals/send-text.ts";
import { Terminals } from "./terminals/terminals.ts";

/** Makes everything that the plugin consists of, and finds what an earlier daemon left running. */
export async function createParts(ctx: PluginContext<TerminalsConfig>) {
  const { store, clock, log, run, signal, config } = ctx;
  const folder = await ctx.folder();
  const integration = await createShellIntegration(
    join(folder, "shell"),
    process.env.ZDOTDIR,
  );
  const fail = (error: unknown) => {
    if (!signal.aborted) log.error("A terminal was not noted", {}, error);
  };
  const link = new HostLink({
    folder,
    run,
    clock,
    log,
    signal,
    ear: {
      exited: (id, exitCode, end) =>
        void terminals.upkeep.noteExit(id, exitCode, end).catch(fail),
      lost: () => void terminals.upkeep.checkUntilKnown(),
    },
  });
  const terminals = new Terminals({
    store,
    link,
    clock,
    run,
    log,
    config,
    signal,
  });
  ctx.own(async () => {
    await terminals.upkeep.settle();
    await link.leave();
  });
  await terminals.upkeep.checkUntilKnown();

  const send = createSendText(terminals, link);
  const sockets = createAttachSockets(terminals, link);
  const close = async (id: string, revision?: number) => {
    await terminals.close(id, revision);
    sockets.closed(id);
  };
  const programs = { run, integration, shell: config.shell };
  return { terminals, send, programs, sockets, close };
}
