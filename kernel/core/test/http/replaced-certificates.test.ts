import { X509Certificate } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startProbe } from "../support/probe.ts";
import { readHome, replaceWith } from "../support/whole-home.ts";

/** Of the certificate in a `certificate.json`. */
function printOf(content: string): string {
  const { cert } = JSON.parse(content) as { cert: string };
  return new X509Certificate(cert).fingerprint256;
}

test(
  "a certificate that was replaced is not brought back by a restore, another one is, and its undo too",
  { tags: ["thorough"] },
  async () => {
    await using kernel = await startProbe({}, { config: { https: true } });
    const file = join(kernel.home, "certificate.json");
    const read = () => readFile(file, "utf8");
    const restore = async (certificate: string) => {
      const store = await readHome(kernel.ctx.wholeHome);
      const replaced = kernel.replaced();
      await replaceWith(kernel.ctx.wholeHome, {
        ...{ store, files: { "certificate.json": certificate } },
      });
      await replaced;
    };
    const first = await read();
    await rm(file);
    await kernel.restart();
    const second = await read();
    expect(printOf(second)).not.toBe(printOf(first));
    for (let time = 0; time < 2; time++) {
      await restore(first);
      expect(printOf(await read())).toBe(printOf(second));
      await kernel.restart();
    }

    // One that was never here is brought, and the one before it comes back with the undo.
    await using other = await startProbe({}, { config: { https: true } });
    const foreign = await readFile(
      join(other.home, "certificate.json"),
      "utf8",
    );
    await restore(foreign);
    expect(printOf(await read())).toBe(printOf(foreign));
    await kernel.restart();
    expect(printOf(await read())).toBe(printOf(foreign));
    await restore(second);
    expect(printOf(await read())).toBe(printOf(second));
    await kernel.restart();
    await restore(first);
    expect(printOf(await read())).toBe(printOf(second));
    // Put back by hand, it is wanted again.
    await writeFile(file, first);
    await kernel.restart();
    await restore(second);
    expect(printOf(await read())).toBe(printOf(first));
    // One that is damaged was not replaced.
    await writeFile(file, "{");
    await kernel.restart();
    expect(printOf(await read())).not.toBe(printOf(first));
    await restore(first);
    expect(printOf(await read())).toBe(printOf(first));
  },
);
