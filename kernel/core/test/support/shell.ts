import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@gantry/build/testing";

/** The script that stands in the page of {@link createShell}. */
export const INLINE_SCRIPT = "globalThis.started = true;";

/** A shell as the build makes one, as small as can be. Gives its `dist` folder. */
export async function createShell(): Promise<string> {
  const folder = await temporaryFolder();
  const files = {
    "public/200.html": `<!doctype html><script>${INLINE_SCRIPT}</script><script type="application/json">{}</script><div id="app"></div>`,
    "public/200.html.br": "the same, compressed",
    "public/_nuxt/entry.abc123.js": "export {};",
    "public/favicon.svg": "<svg/>",
    "tailwind/theme.css": "",
    "tailwind/candidates.json": '["flex"]',
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}
