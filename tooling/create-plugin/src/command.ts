import { relative } from "node:path";
import { parseArgs } from "node:util";
import { createPlugin } from "./create-plugin.ts";
import type { CreatedPlugin, Wish } from "./create-plugin.ts";
import { toText } from "./names.ts";
import { Refusal } from "./refusal.ts";
import { toArticle } from "./words.ts";

const USAGE = `Usage: create-gantry-plugin <name> [--folder <path>] [--singular <word>]

Makes a new Gantry plugin: routes, store, event, errors, a page and tests.
  <name>      its id in kebab-case, such as bookmarks
  --folder    where to put it; plugins/<name> of this checkout unless given
  --singular  what one of the things is called that it keeps, if the name does not tell`;

/**
 * The command line `create-gantry-plugin`.
 *
 * @returns the exit code: 0 made, 2 refused, with nothing written.
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    const { help, ...wish } = parse(args);
    if (help) {
      console.log(USAGE);
      return 0;
    }
    const from = process.cwd();
    console.log(describe(await createPlugin(wish, from), from));
    return 0;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(`create-gantry-plugin: ${error.message}`);
    return 2;
  }
}

function parse(args: readonly string[]): Wish & { help?: boolean } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        folder: { type: "string" },
        singular: { type: "string" },
        help: { type: "boolean" },
      },
      allowPositionals: true,
    });
    if (positionals.length > 1)
      throw new Error("One plugin at a time: more than one name given");
    return { ...values, name: positionals[0] };
  } catch (cause) {
    throw new Refusal(
      `${firstSentence((cause as Error).message)}; --help shows how it is called.`,
      { cause },
    );
  }
}

/** Node adds advice about "--" that is of no use here. */
function firstSentence(text: string): string {
  return text.split(". ")[0]!.replace(/\.$/, "");
}

function describe(
  { folder, names, inside, files }: CreatedPlugin,
  from: string,
): string {
  const one = toText(names.thing);
  const path = relative(from, folder);
  const steps = inside
    ? [
        "pnpm install",
        `npm test -- --filter=@gantry/plugin-${names.plugin}`,
        "npm start",
      ]
    : [`cd ${folder}`, "npm install", "npm run build", "npm test"];
  return [
    `Made ${path.startsWith("..") ? folder : path}: ${files.length} files.`,
    `It keeps ${toText(names.things)}: each is ${toArticle(one)} ${one}.`,
    "",
    "Next:",
    ...steps.map((step) => `  ${step}`),
    "",
    `Its page is /${names.plugin}, its API /api/${names.plugin}.`,
  ].join("\n");
}
