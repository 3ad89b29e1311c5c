import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { usedComponents } from "./usedComponents.ts";

interface Theme {
  slots?: Record<string, unknown>;
  variants?: Record<string, Record<string, unknown>>;
}

/**
 * Makes the types of the promised components' themes, which Nuxt UI's own types ask for: with them a plugin's templates
 * are checked for colours, sizes and variants that do not exist, without a Nuxt build.
 */
export async function toThemeTypes(root: string): Promise<string> {
  const modules: string[] = [];
  for (const { theme } of usedComponents()) {
    const file = join(root, `.nuxt/ui/${theme}.ts`);
    if (!existsSync(file)) continue;
    const { default: content } = (await import(pathToFileURL(file).href)) as {
      default: Theme;
    };
    modules.push(toModule(theme, content));
  }
  return [
    "// Made by `pnpm theme-types` of the shell from Nuxt UI and its settings there.",
    ...modules,
    "",
  ].join("\n");
}

function toModule(name: string, { slots = {}, variants = {} }: Theme): string {
  const slotTypes = Object.keys(slots).map((slot) => `${slot}: string;`);
  const variantTypes = Object.entries(variants).map(([variant, values]) => {
    return `${variant}: { ${Object.keys(values)
      .map((value) => `${JSON.stringify(value)}: string;`)
      .join(" ")} };`;
  });
  return [
    `declare module "#build/ui/${name}" {`,
    `  const theme: { slots: { ${slotTypes.join(" ")} }; variants: { ${variantTypes.join(" ")} } };`,
    "  export default theme;",
    "}",
  ].join("\n");
}
