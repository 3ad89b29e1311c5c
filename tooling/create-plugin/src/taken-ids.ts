/** The plugins that come with Gantry. */
export const BUILT_IN = ["agents", "automations", "inbox", "snippets"] as const;

const TAKEN: readonly [ids: readonly string[], by: string][] = [
  [BUILT_IN, "the id of a plugin that comes with Gantry"],
  [
    ["snips", "usage", "workspaces"],
    "a path of a plugin that comes with Gantry",
  ],
  [
    ["auth", "doctor", "events", "kernel", "openapi", "plugins", "system"],
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
  return TAKEN.find(([ids]) => ids.includes(id))?.[1];
}
