import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisedComponents } from "../../kit/src/promisedComponents.ts";

const nuxtUi = dirname(
  createRequire(import.meta.url).resolve("@nuxt/ui/runtime/index.css"),
);

/** A component of Nuxt UI, without its prefix. */
export interface UsedComponent {
  name: string;
  source: string;
  /** Name of the file with its classes. */
  theme: string;
}

/** The promised components, and every component that these are made of. */
export function usedComponents(): UsedComponent[] {
  const found = new Map<string, string>();
  const wanted = Object.values(promisedComponents)
    .flat()
    .map((name) => name.slice(1));
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (found.has(name)) continue;
    const source = readFileSync(join(nuxtUi, `components/${name}.vue`), "utf8");
    found.set(name, source);
    for (const [, other] of source.matchAll(/from "\.\/(\w+)\.vue"/g))
      if (other) wanted.push(other);
  }
  return Array.from(found, ([name, source]) => ({
    name,
    source,
    theme: name
      .replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`)
      .toLowerCase(),
  })).sort((one, other) => one.name.localeCompare(other.name));
}
