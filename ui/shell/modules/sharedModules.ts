import { join } from "node:path";
import { addTemplate, defineNuxtModule } from "nuxt/kit";
import { kitExports } from "../../kit/src/kitExports.ts";

/** What no page of a plugin needs: rendering on a server, custom elements, hooks for development tools. */
const notShared =
  /ssr|hydrat|customelement|vueelement|shadowroot|compil|devtools|compat|deprecation|errorcodes|memoryhistory|webhash|__esmodule/i;

/**
 * Lets plugins import the shell's own `vue`, `vue-router` and `@gantry/ui-kit`: an import map leads these names to small
 * files that hand out what `app/plugins/shareModules.ts` put on the window. Two copies of Vue on one page would not see
 * each other's reactivity.
 */
export default defineNuxtModule({
  meta: { name: "shared-modules" },
  async setup(_options, nuxt) {
    const shared: Record<string, readonly string[]> = {
      vue: toNames(Object.keys(await import("vue"))),
      "vue-router": toNames(Object.keys(await import("vue-router"))),
      "@gantry/ui-kit": kitExports,
    };

    addTemplate({
      filename: "shared-modules.mjs",
      write: true,
      getContents: () => toSharedModules(shared),
    });

    const imports: Record<string, string> = {};
    for (const [name, exports] of Object.entries(shared)) {
      const file = `${name.replace("@gantry/", "")}.mjs`;
      addTemplate({
        filename: `shared/${file}`,
        write: true,
        getContents: () => toShim(name, exports),
      });
      imports[name] = `/shared/${file}`;
    }
    nuxt.hook("nitro:config", (config) => {
      config.publicAssets ??= [];
      config.publicAssets.push({
        dir: join(nuxt.options.buildDir, "shared"),
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
      innerHTML: JSON.stringify({ imports }),
    });
  },
});

function toNames(keys: readonly string[]): readonly string[] {
  return keys
    .filter(
      (key) =>
        key !== "default" &&
        /^[A-Za-z_$][\w$]*$/.test(key) &&
        !notShared.test(key),
    )
    .sort();
}

/** The shell's side: an object a module, of named imports, so that what is not shared can still be left out. */
function toSharedModules(
  shared: Readonly<Record<string, readonly string[]>>,
): string {
  const modules = Object.entries(shared).map(([name, exports], index) => ({
    name,
    exports,
    index,
  }));
  const imports = modules.map(
    ({ name, exports, index }) =>
      `import { ${exports.map((key) => `${key} as m${index}_${key}`).join(", ")} } from "${name}";`,
  );
  const members = modules.map(
    ({ name, exports, index }) =>
      `  "${name}": { ${exports.map((key) => `${key}: m${index}_${key}`).join(", ")} },`,
  );
  return [...imports, "export default {", ...members, "};", ""].join("\n");
}

/** The plugin's side: a module whose exports are the members of that object. */
function toShim(name: string, exports: readonly string[]): string {
  return `const m=globalThis.__gantryShared[${JSON.stringify(name)}];\nexport const {${exports.join(",")}}=m;\n`;
}
