import type { PluginContext } from "@gantry/plugin";
import type { App } from "@gantry/http/app";
import type { Seam } from "./seam.ts";

/** What a plugin registers under its mounts. */
export function createContextRoutes(
  { table }: App,
  { id, definition, scope, isSystem, alive }: Seam,
): Pick<PluginContext, "route" | "socket" | "handler"> {
  const { inFlight, signal } = scope;
  const owner = { plugin: id, inFlight, signal, isSystem };
  const { mounts } = definition;
  function checkMount(path: string): void {
    if (mounts.some((mount) => path === mount || path.startsWith(`${mount}/`)))
      return;
    throw new TypeError(
      `${path} is outside the mounts of "${id}": ${mounts.join(", ")}.`,
    );
  }
  return {
    route: alive((route) => {
      checkMount(route.path);
      return scope.own(table.addRoute({ definition: route, owner }));
    }),
    socket: alive((socket) => {
      checkMount(socket.path);
      return scope.own(table.addSocket({ definition: socket, owner }));
    }),
    handler: alive((handler) => {
      checkMount(handler.path);
      return scope.own(table.addHandler({ definition: handler, owner }));
    }),
  };
}
