import type { PluginContext } from "@gantry/plugin";
import { announceData } from "@gantry/system/context/announce-data";
import type { OutboundConnect } from "@gantry/system/outbound/outbound-connect";
import { errors } from "@gantry/system/errors";
import type { Seam } from "./seam.ts";

/** Creates the `connect` of a plugin, whose connections are closed when it stops. */
export function ownConnect(
  { id, scope }: Seam,
  connect: OutboundConnect,
): PluginContext["connect"] {
  return async (options) => {
    const { signal } = options;
    const socket = await connect({
      ...options,
      signal: signal ? AbortSignal.any([signal, scope.signal]) : scope.signal,
    });
    announceData(socket, id);
    const destroy = () => void socket.destroy();
    if (scope.signal.aborted) {
      destroy();
      throw errors.PLUGIN_STOPPED({ id });
    }
    socket.once("close", scope.own(destroy));
    return socket;
  };
}
