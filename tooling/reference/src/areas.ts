import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PluginDefinition } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import type { OpenApiDocument } from "./api-outline.ts";
import type { Area } from "./render.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A part of the product and the README that describes it. */
export interface DescribedArea {
  readme: string;
  area: Area;
}

interface Plugin {
  folder: string;
  definition: PluginDefinition;
  /** Whether it is a part of the daemon, which every test kernel has. */
  isSystem: boolean;
}

/** What is known of the product from its code. */
export interface DescribedProduct {
  areas: DescribedArea[];
  openapi: OpenApiDocument;
}

/** Starts a kernel with all plugins of this repository and reads from it what each part is made of. */
export async function describeProduct(): Promise<DescribedProduct> {
  const plugins = await loadPackages();
  await using kernel = await startTestKernel(
    plugins
      .filter(({ isSystem }) => !isSystem)
      .map(({ definition }) => definition),
  );
  const routes = kernel.kernel.http.app.table.routes();
  const routesOf = (id: string) =>
    routes
      .filter(({ owner }) => owner.plugin === id)
      .map(({ definition }) => definition);

  const { errors, events } = await import("@gantry/kernel");
  const ofKernel: DescribedArea = {
    readme: join(root, "kernel/core/README.md"),
    area: {
      routes: routesOf("kernel"),
      provides: [],
      uses: [],
      events,
      errors: errors.definitions,
    },
  };
  const ofPlugins = plugins.map(({ folder, definition }): DescribedArea => {
    const { id, provides, needs, wants } = definition;
    return {
      readme: join(folder, "README.md"),
      area: {
        routes: routesOf(id),
        provides: provides ?? [],
        uses: [
          ...Object.values(needs ?? {}).map((token) => ({ token, must: true })),
          ...Object.values(wants ?? {}).map((token) => ({
            token,
            must: false,
          })),
        ],
        events: definition.events ?? [],
        errors: definition.errors?.definitions ?? {},
      },
    };
  });
  const { body: openapi } =
    await kernel.api.get<OpenApiDocument>("/api/openapi.json");
  return { areas: [ofKernel, ...ofPlugins], openapi };
}

/** The plugins of this repository that run on the daemon. */
export async function loadPlugins(): Promise<Plugin[]> {
  return (await loadPackages()).filter(({ isSystem }) => !isSystem);
}

async function loadPackages(): Promise<Plugin[]> {
  const plugins: Plugin[] = [];
  for (const name of await readdir(join(root, "plugins"))) {
    const folder = join(root, "plugins", name);
    const manifest = JSON.parse(
      await readFile(join(folder, "package.json"), "utf8"),
    ) as { name: string; gantry?: { system?: boolean } };
    // A library has no such section.
    if (!manifest.gantry) continue;
    const module = (await import(manifest.name)) as {
      default: PluginDefinition;
    };
    const isSystem = manifest.gantry.system === true;
    plugins.push({ folder, definition: module.default, isSystem });
  }
  return plugins;
}
