import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Scanner } from "@tailwindcss/oxide";
import { promisedComponents } from "../../kit/src/promisedComponents.ts";

const nuxtUi = dirname(
  createRequire(import.meta.url).resolve("@nuxt/ui/runtime/index.css"),
);

/**
 * Writes what the daemon compiles the one sheet of utility classes from: the class names that the shell, the kit and the
 * promised Nuxt UI components use, and the theme that gives them their values.
 */
export function writeTailwindParts(root: string): void {
  const scanner = new Scanner({
    sources: [
      { base: join(root, "app"), pattern: "**/*", negated: false },
      { base: join(root, "../kit/src"), pattern: "**/*", negated: false },
    ],
  });
  const own = scanner.scan();
  const promised = usedComponents().flatMap(({ name, source }) => [
    ...scanner.getCandidatesWithPositions({
      content: source,
      extension: "vue",
    }),
    ...scanner.getCandidatesWithPositions({
      content: readTheme(root, name),
      extension: "ts",
    }),
  ]);
  const rootClasses = ["isolate"];
  const candidates = new Set([
    ...own,
    ...rootClasses,
    ...promised.map(({ candidate }) => candidate),
  ]);

  mkdirSync(join(root, "dist/tailwind"), { recursive: true });
  writeFileSync(
    join(root, "dist/tailwind/candidates.json"),
    JSON.stringify([...candidates].sort()),
  );
  writeFileSync(join(root, "dist/tailwind/theme.css"), toTheme(root));
}

/** The promised components, and every component that these are made of. */
function usedComponents(): { name: string; source: string }[] {
  const found = new Map<string, string>();
  const wanted = [
    ...Object.values(promisedComponents)
      .flat()
      .map((name) => name.slice(1)),
    "Toaster",
  ];
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (found.has(name)) continue;
    const source = readFileSync(join(nuxtUi, `components/${name}.vue`), "utf8");
    found.set(name, source);
    for (const [, other] of source.matchAll(/from "\.\/(\w+)\.vue"/g))
      if (other) wanted.push(other);
  }
  return Array.from(found, ([name, source]) => ({ name, source }));
}

/** A component's classes. Some are made of others and have none of their own. */
function readTheme(root: string, name: string): string {
  const kebab = name
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase();
  try {
    return readFileSync(join(root, `.nuxt/ui/${kebab}.ts`), "utf8");
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
