import { toLocalUrl } from "@gantry/http/local-url";
import type { ControlCommands } from "@gantry/system/home/control";
import { pairingUrl } from "./auth/pairing-routes.ts";
import type { NewCode } from "./auth/pairing.ts";
import { rotateToken } from "./auth/token-route.ts";
import { createAddedPlugins } from "./plugins/added-plugins.ts";
import type { PluginStatus } from "./plugins/plugin-status.ts";
import type { RunningParts } from "./start-plugins.ts";

/** Who acts over the control socket, as the audit log says it. */
const COMMAND_LINE = "command line";

/** A plugin as the command line shows it. */
export type PluginLine = ReturnType<typeof toLine>;

const toLine = ({ id, version, origin, state, reason }: PluginStatus) => ({
  id,
  version,
  origin,
  state,
  reason,
});

/** Makes a pairing code, with its link. */
export function mintCode({
  http: { pairing, policy },
  foundation: { audit },
}: Pick<RunningParts, "http" | "foundation">): NewCode & { url: string } {
  const code = pairing.create(undefined);
  void audit.record("pairing.minted", { code: code.id, by: COMMAND_LINE });
  return { ...code, url: pairingUrl(policy, code) };
}

/** The owner's commands to a running daemon. */
export function createControlCommands(running: RunningParts): ControlCommands {
  const { http, plugins, ports } = running;
  const { audit } = running.foundation;
  const { canonicalOrigin, localOrigin } = http.policy;
  const added = createAddedPlugins(running);
  return {
    status: () => ({
      url: canonicalOrigin,
      localUrl: toLocalUrl(localOrigin, ports.addresses),
      pid: process.pid,
      plugins: plugins.list().map(toLine),
    }),
    pair: async () => {
      const code = mintCode(running);
      await audit.flush();
      return code;
    },
    "rotate-token": async () => ({
      token: await rotateToken({ ...http, audit }, COMMAND_LINE),
    }),
    "plugins-list": () => plugins.list().map(toLine),
    "plugins-add": async ({ tarball }: { tarball: string }) =>
      toLine(await added.add(tarball)),
    "plugins-enable": async ({ id }: { id: string }) =>
      toLine(await added.enable(id)),
    "plugins-remove": ({ id, keepData }: { id: string; keepData?: boolean }) =>
      added.remove(id, keepData ?? false),
  };
}
