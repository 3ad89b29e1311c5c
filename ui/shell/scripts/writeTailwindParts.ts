import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Scanner } from "@tailwindcss/oxide";
import { usedComponents } from "./usedComponents.ts";

/**
 * Writes into a folder what the daemon compiles the one sheet of utility classes from: the class names that the shell, the kit and the
 * promised Nuxt UI components use, and the theme that gives them their values.
 */
export function writeTailwindParts(root: string, folder: string): void {
  const scanner = new Scanner({
    sources: [
      { base: join(root, "app"), pattern: "**/*", negated: false },
      { base: join(root, "../kit/src"), pattern: "**/*", negated: false },
    ],
  });
  const own = scanner.scan();
  const promised = usedComponents().flatMap(({ theme, source }) => [
    ...scanner.getCandidatesWithPositions({
      content: source,
      extension: "vue",
    }),
    ...scanner.getCandidatesWithPositions({
      content: readTheme(root, theme),
      extension: "ts",
    }),
  ]);
  const rootClasses = ["isolate"];
  const candidates = new Set([
    ...own,
    ...rootClasses,
    ...promised.map(({ candidate }) => candidate),
  ]);

  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "candidates.json"),
    JSON.stringify([...candidates].sort()),
  );
  writeFileSync(join(folder, "theme.css"), toTheme(root));
}

/** A component's classes. Some are made of others and have none of their own. */
function readTheme(root: string, theme: string): string {
  try {
    return readFileSync(join(root, `.nuxt/ui/${theme}.ts`), "utf8");
  } catch {
    return "";
  }
}

/** Nuxt UI's theme and our own, without what is in the shell's own sheet already. */
function toTheme(root: string): string {
  const generated = readFileSync(join(root, ".nuxt/ui.css"), "utf8");
  const theme = generated.slice(generated.indexOf("@theme default inline"));
  return `${theme.trim()}\n\n${readFileSync(join(root, "app/assets/tokens.css"), "utf8")}`;
}
