import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { addTemplate, createResolver, defineNuxtModule } from "nuxt/kit";

interface IconSet {
  prefix: string;
  width: number;
  height: number;
  icons: Record<string, { body: string }>;
}

/**
 * Puts the icons that the shell, the kit and Nuxt UI name into the bundle, and shows icons without the part of the icon
 * library that would ask a server for those it does not have.
 */
export default defineNuxtModule({
  meta: { name: "bundled-icons" },
  setup(_options, nuxt) {
    const { resolve } = createResolver(import.meta.url);
    const lucide = createRequire(import.meta.url)(
      "@iconify-json/lucide/icons.json",
    ) as IconSet;
    const folders = [resolve("../app"), resolve("../../kit/src")];

    addTemplate({
      filename: "bundled-icons.mjs",
      write: true,
      getContents() {
        const text = folders
          .flatMap((folder) =>
            globSync("**/*.{vue,ts}", { cwd: folder }).map((file) =>
              join(folder, file),
            ),
          )
          .map((file) => readFileSync(file, "utf8"))
          .concat(JSON.stringify(nuxt.options.appConfig.ui?.icons ?? {}))
          .join("\n");
        const names = new Set(
          Array.from(
            text.matchAll(/\bi-lucide-([a-z0-9-]+)/g),
            (match) => match[1] ?? "",
          ),
        );
        const icons = Object.fromEntries(
          [...names]
            .sort()
            .map((name) => [name, { body: findBody(lucide, name) }]),
        );
        return `export default ${JSON.stringify({ prefix: "lucide", width: lucide.width, height: lucide.height, icons })};`;
      },
    });

    nuxt.options.alias["@nuxt/icon/runtime/components/index.js"] = resolve(
      "../app/components/BundledIcon.ts",
    );
  },
});

function findBody(set: IconSet, name: string): string {
  const icon = set.icons[name];
  if (!icon)
    throw new Error(
      `There is no icon "i-lucide-${name}"; look for one at https://lucide.dev/icons.`,
    );
  return icon.body;
}
