import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PluginInfo } from "../../app/shell/wire.ts";
import type { StandInPlugin } from "./standIn.ts";

/** A plugin whose UI is a file in `test/fixtures`, as a third party's build would have made it. */
export function fixturePlugin(
  id: string,
  options: { file?: string; candidates?: string[] } & Partial<PluginInfo> = {},
) {
  const { file = `${id}.mjs`, candidates = [], ...info } = options;
  const text = readFileSync(
    join(import.meta.dirname, "../fixtures", file),
    "utf8",
  );
  return {
    info: {
      id,
      summary: `The fixture ${id}`,
      version: "1.0.0",
      state: "active",
      reason: null,
      origin: "home",
      ui: { entry: `/plugins/${id}/ui/index.mjs?v=1`, css: null },
      ...info,
    },
    files: { "index.mjs": text },
    candidates,
  } satisfies StandInPlugin;
}
