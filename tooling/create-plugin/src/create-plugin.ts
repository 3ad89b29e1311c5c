import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { findCheckout } from "./checkout.ts";
import { makeFiles } from "./made-files.ts";
import { toNames } from "./names.ts";
import type { Names } from "./names.ts";
import { Refusal } from "./refusal.ts";
import { takenBy } from "./taken-ids.ts";

/** What to make, as the command line says it. */
export interface Wish {
  /** The id; the last part of `folder` if it is left out. */
  name?: string;
  /** Where to put it; `plugins/<name>` of the checkout if it is left out. */
  folder?: string;
  /** What one of the things that it keeps is called. */
  singular?: string;
}

/** What was made. */
export interface CreatedPlugin {
  folder: string;
  names: Names;
  /** Whether it is one of the plugins of this repository. */
  inside: boolean;
  /** Paths within the folder. */
  files: readonly string[];
}

/**
 * Makes a new plugin.
 *
 * @param from The folder in which the wish was said.
 * @throws Refusal before anything is written.
 */
export async function createPlugin(
  wish: Wish,
  from: string,
): Promise<CreatedPlugin> {
  const id = wish.name ?? basename(wish.folder ?? "");
  if (id === "") throw new Refusal("The new plugin needs a name.");
  if (/[/\\]|^\.*$/.test(id)) {
    throw new Refusal(
      `"${id}" is a path; give the name alone, and the place with --folder.`,
    );
  }
  const names = toNames(id, wish.singular);
  const owner = takenBy(id);
  if (owner) throw new Refusal(`"${id}" is taken: it is ${owner}.`);
  const checkout = findCheckout(from);
  const folder = toFolder(id, wish.folder, from, checkout);
  if (existsSync(folder)) {
    throw new Refusal(`${folder} is there already; nothing was changed.`);
  }
  const inside =
    checkout !== undefined && dirname(folder) === join(checkout, "plugins");
  // Two packages of one name: nothing in the workspace could be run any more.
  if (inside && existsSync(join(checkout, "e2e/fixtures", id))) {
    throw new Refusal(
      `"${id}" is taken: it is a plugin in e2e/fixtures, which tests use.`,
    );
  }
  const files = await makeFiles(names, inside ? "inside" : "outside");
  await writeFiles(folder, files);
  if (inside) await describeIn(checkout, `@gantry/plugin-${id}`);
  return { folder, names, inside, files: [...files.keys()] };
}

function toFolder(
  id: string,
  folder: string | undefined,
  from: string,
  checkout: string | undefined,
): string {
  if (folder !== undefined) return resolve(from, folder);
  if (checkout !== undefined) return join(checkout, "plugins", id);
  throw new Refusal(
    `${from} is in no checkout of Gantry; say with --folder where the plugin goes.`,
  );
}

async function writeFiles(
  folder: string,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  // Not recursive: a folder that another process made meanwhile is left alone.
  await mkdir(folder);
  try {
    for (const [path, text] of files) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Names a plugin in the package that writes the tables of its README, which imports all that it describes. */
async function describeIn(checkout: string, name: string): Promise<void> {
  const file = join(checkout, "tooling/reference/package.json");
  if (!existsSync(file)) return;
  const manifest = JSON.parse(await readFile(file, "utf8")) as {
    devDependencies?: Record<string, string>;
  };
  const entries = Object.entries({
    ...manifest.devDependencies,
    [name]: "workspace:*",
  });
  manifest.devDependencies = Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
