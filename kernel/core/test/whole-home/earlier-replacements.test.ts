import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createBrotliDecompress } from "node:zlib";
import { cases, temporaryFolder } from "@gantry/build/testing";
import { extract } from "tar";
import { expect, test } from "vitest";
import { expectedOf, SCENARIOS } from "../support/replaced-home.ts";
import { openSmallHome } from "../support/small-home.ts";

/**
 * Homes that a kill left while this kernel's version of 29 November 2026 replaced them, with a pending replacement of format
 * 1: one for each arrangement of files that `interruptions.test.ts` found.
 */
const IMAGES = fileURLToPath(
  new URL("../fixtures/pending-replacements.tar.br", import.meta.url),
);

/** Unpacks the images whose names begin so. */
async function unpack(kind: string): Promise<string[]> {
  const folder = await temporaryFolder();
  await pipeline(
    createReadStream(IMAGES),
    createBrotliDecompress(),
    extract({ cwd: folder, filter: (path) => path.startsWith(kind) }),
  );
  const names = await readdir(folder);
  return names.sort().map((name) => join(folder, name));
}

test.each(cases(SCENARIOS))(
  "$mode of a store $place (fails: $fails) that an earlier version began is brought to its end",
  async (scenario) => {
    const { place, mode, fails } = scenario;
    const kind = `${place.replaceAll(" ", "-")}_${mode}_${fails ? "fails" : "succeeds"}_`;
    const images = await unpack(kind);
    expect(images.length).toBeGreaterThan(7);
    for (const image of images) {
      const home = openSmallHome(image, place);
      const result = await home.finish();
      expect(result?.failure === null, image).toBe(!fails);
      expect(await home.read(), image).toEqual(expectedOf(scenario));
      expect(await home.finish(), image).toBeUndefined();
    }
  },
);
