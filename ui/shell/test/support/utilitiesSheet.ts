import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { compile } from "tailwindcss";

/** Makes what gives the sheet for some plugins' classes: each sheet is compiled once, as in the daemon. */
export function createUtilities(
  shellDist: string,
): (more: readonly string[]) => Promise<string> {
  const sheets = new Map<string, Promise<string>>();
  return (more) => {
    const key = [...more].sort().join(" ");
    const sheet = sheets.get(key) ?? compileUtilities(shellDist, more);
    sheets.set(key, sheet);
    return sheet;
  };
}

/** Compiles the sheet of utility classes as the daemon does, from what the shell's build wrote and a plugin's classes. */
export async function compileUtilities(
  shellDist: string,
  more: readonly string[],
): Promise<string> {
  const tailwind = dirname(
    createRequire(import.meta.url).resolve("tailwindcss/package.json"),
  );
  const theme = await readFile(join(shellDist, "tailwind/theme.css"), "utf8");
  const candidates = JSON.parse(
    await readFile(join(shellDist, "tailwind/candidates.json"), "utf8"),
  ) as string[];
  const source = [
    "@layer theme, base, components, utilities;",
    '@import "tailwindcss/theme.css" layer(theme);',
    theme,
    '@import "tailwindcss/utilities.css" layer(utilities);',
  ].join("\n");
  const compiler = await compile(source, {
    base: shellDist,
    loadStylesheet: async (id, base) => {
      const path = join(tailwind, id.replace("tailwindcss/", ""));
      return { path, base, content: await readFile(path, "utf8") };
    },
  });
  return compiler.build([...candidates, ...more]);
}
