import { readdirSync } from "node:fs";

/** The plugins that come with Gantry, as they were when this package was packed; not set in a checkout. */
declare const PACKED_PLUGINS: readonly string[] | undefined;

const TAKEN: readonly [ids: readonly string[], by: string][] = [
  [
    ["snips", "usage", "workspaces"],
    "a path of a plugin that comes with Gantry",
  ],
  [
    ["auth", "events", "kernel", "openapi", "plugins", "system"],
    "the daemon's own",
  ],
  [
    ["api", "docs", "pair", "settings", "shared", "ui"],
    "a path of the app itself",
  ],
  [["testing"], "the name of the package that tests plugins"],
];

/** Says whose an id is already, `undefined` if it is free. */
export function takenBy(id: string): string | undefined {
  if (readBuiltIn().includes(id))
    return "the id of a plugin that comes with Gantry";
  return TAKEN.find(([ids]) => ids.includes(id))?.[1];
}

function readBuiltIn(): readonly string[] {
  return typeof PACKED_PLUGINS === "undefined"
    ? readdirSync(new URL("../../../plugins", import.meta.url))
    : PACKED_PLUGINS;
}
