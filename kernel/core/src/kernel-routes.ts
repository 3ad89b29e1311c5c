import type { Foundation } from "./foundation.ts";
import type { HttpSide } from "./http-side.ts";
import { addPluginFiles } from "./plugins/plugin-files.ts";
import type { PluginHost } from "./plugins/plugin-host.ts";
import { createPluginRoutes } from "./plugins/plugin-routes.ts";
import { addSystemRoutes } from "./system-routes.ts";

/** Dependencies of {@link addKernelRoutes}. */
export interface KernelRoutesHost {
  version: string;
  foundation: Foundation;
  http: HttpSide;
  plugins: PluginHost;
}

/** Adds the kernel's own operations, and the files of plugins. */
export function addKernelRoutes(host: KernelRoutesHost): void {
  const { foundation, http, plugins } = host;
  const { clock, home } = foundation;
  const { app, owner, policy } = http;
  const files = addPluginFiles(
    app,
    (id) => plugins.list().find((plugin) => plugin.id === id)?.package,
  );
  const routes = [...createPluginRoutes(plugins, files)];
  for (const definition of routes) app.table.addRoute({ definition, owner });
  const { version } = host;
  addSystemRoutes(app, owner, { version, home: home.folder, policy, clock });
}
