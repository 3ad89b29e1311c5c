import type { PluginContext } from "@gantry/plugin";
import { checkApiPath, checkContentPath } from "./mounts.ts";
import type { PluginContextHost } from "./plugin-context-host.ts";
import type { PluginInstance } from "./plugin-instance.ts";

/** Creates the methods of a plugin's context that register routes, sockets, content and handlers below its mounts. */
export function createPluginEndpoints(
  {
    app,
    sockets,
    addContent,
  }: Pick<PluginContextHost, "app" | "sockets" | "addContent">,
  { id, definition, scope, whileActive }: PluginInstance,
): Pick<PluginContext, "route" | "socket" | "content" | "handler"> {
  const owner = { plugin: id, follow: scope.follow, signal: scope.signal };
  return {
    route: whileActive((route) => {
      checkApiPath(definition, route.path);
      return scope.own(app.table.addRoute({ definition: route, owner }));
    }),
    socket: whileActive((socket) => {
      checkApiPath(definition, socket.path);
      return scope.own(sockets.add({ definition: socket, owner }));
    }),
    content: whileActive((content) => {
      checkContentPath(definition, content.path);
      return scope.own(addContent(content, owner));
    }),
    handler: whileActive((path, handle, options) => {
      checkApiPath(definition, path);
      const record = { path, handle, options, owner };
      return scope.own(app.table.addHandler(record));
    }),
  };
}
