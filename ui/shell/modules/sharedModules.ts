import { join } from "node:path";
import { addTemplate, defineNuxtModule } from "nuxt/kit";
import { kitExports } from "../../kit/src/kitExports.ts";

/** What no page of a plugin needs: rendering on a server, custom elements, hooks for development tools. */
const notShared =
  /ssr|hydrat|customelement|vueelement|shadowroot|compil|devtools|compat|deprecation|errorcodes|memoryhistory|webhash|__esmodule/i;

const file = "modules.mjs";

/**
 * Lets plugins import the shell's own `vue`, `vue-router` and `@gantry/ui-kit`: an import map leads these names to one
 * small file that hands out what `app/plugins/shareModules.ts` put on the window. Two copies of Vue on one page would not
 * see each other's reactivity. It is one file for all three, since each would be a request of every first visit.
 */
export default defineNuxtModule({
  meta: { name: "shared-modules" },
  async setup(_options, nuxt) {
    const shared: Record<string, readonly string[]> = {
      vue: toNames(Object.keys(await import("vue"))),
      "vue-router": toNames(Object.keys(await import("vue-router"))),
      "@gantry/ui-kit": kitExports,
    };
    const names = Object.values(shared).flat();
    const twice = names.filter((name, index) => names.indexOf(name) !== index);
    if (twice.length > 0)
      throw new Error(
        `Two shared modules export ${twice.join(", ")}; rename the kit's.`,
      );

    addTemplate({
      filename: "shared-modules.mjs",
      write: true,
      getContents: () => toSharedModule(shared),
    });
    addTemplate({
      filename: `shared/${file}`,
      write: true,
      getContents: () =>
        `export const {${[...names].sort().join(",")}}=globalThis.__gantryShared;\n`,
    });

    nuxt.hook("nitro:config", (config) => {
      config.publicAssets ??= [];
      const dir = join(nuxt.options.buildDir, "shared");
      config.publicAssets.push({
        dir,
        baseURL: "/shared",
        fallthrough: true,
        maxAge: 0,
      });
    });
    nuxt.options.app.head.script ??= [];
    nuxt.options.app.head.script.push({
      key: "import-map",
      type: "importmap",
      tagPriority: -50,
      innerHTML: JSON.stringify({
        imports: Object.fromEntries(
          Object.keys(shared).map((name) => [name, `/shared/${file}`]),
        ),
      }),
    });
  },
});

function toNames(keys: readonly string[]): readonly string[] {
  return keys.filter(
    (key) =>
      key !== "default" &&
      /^[A-Za-z_$][\w$]*$/.test(key) &&
      !notShared.test(key),
  );
}

/** The shell's side: an object of named imports, so that what is not shared can still be left out of the bundle. */
function toSharedModule(
  shared: Readonly<Record<string, readonly string[]>>,
): string {
  const imports = Object.entries(shared).map(
    ([name, exports]) => `import { ${exports.join(", ")} } from "${name}";`,
  );
  return [
    ...imports,
    `export default { ${Object.values(shared).flat().join(", ")} };`,
    "",
  ].join("\n");
}
