import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { describeSurface } from "./support/describe-surface.ts";

const FOLDER = new URL("../", import.meta.url);

/** The entry points, by the name of their file in `surface/`. */
const ENTRIES = Object.entries(manifest.exports).map(
  ([entry, { "gantry-source": source }]) =>
    [entry === "." ? "index" : entry.slice(2), source] as const,
);

// A change of the contract changes a file in `surface/`: review it there, and describe it in CHANGELOG.md.
// `pnpm --filter @gantry/plugin surface` writes them again.
test.each(ENTRIES)(
  "the names and types of the entry %s are those of its snapshot",
  async (name, source) => {
    const file = fileURLToPath(new URL(source, FOLDER));
    const values: object = await import(file);
    await expect(
      describeSurface(file, Object.keys(values)),
    ).toMatchFileSnapshot(`../surface/${name}.txt`);
  },
);
