import { createRequire } from "node:module";
import { join } from "node:path";
import type { Options } from "tsup";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/** Where the daemon puts what it shares; the kernel's `share-modules.ts` says the same. */
const SHARED = 'globalThis[Symbol.for("gantry.shared@1")]';

/** Texts in all languages, which the daemon leaves out, and what only CommonJS has. */
const LEFT_OUT = ["locales", "default", "__esModule"];

/**
 * Takes zod from the daemon: one copy for all is a good deal quicker and smaller than one in each plugin.
 *
 * @param folder The plugin's folder, whose zod says what there is.
 */
export function sharedZod(folder: string): Plugin {
  return {
    name: "shared-zod",
    setup(build) {
      build.onResolve({ filter: /^zod(\/v4)?$/ }, () => ({
        path: "zod",
        namespace: "shared-zod",
        sideEffects: false,
      }));
      build.onLoad({ filter: /./, namespace: "shared-zod" }, () => ({
        contents: renderModule(namesOf(folder)),
      }));
    },
  };
}

function namesOf(folder: string): string[] {
  const require = createRequire(join(folder, "package.json"));
  const zod = require("zod") as object;
  return Object.keys(zod).filter((name) => !LEFT_OUT.includes(name));
}

/** Many names are words of the language, so that they can only be given on the way out. */
function renderModule(names: readonly string[]): string {
  const lines = names.map((name, index) => `const $${index} = zod.${name};`);
  const exported = names.map((name, index) => `$${index} as ${name}`);
  return `
    const { zod } = ${SHARED} ?? {};
    if (!zod) throw new Error("This plugin takes zod from the daemon, and this one shares none.");
    ${lines.join("\n")}
    export { ${exported.join(", ")} };
  `;
}
