import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildPlugin } from "./build.ts";
import { describeFailure } from "./failure.ts";
import { sizeTable } from "./sizes.ts";
import { buildOnChange } from "./build-on-change.ts";

const USAGE = `Usage: gantry-build [folder] [--watch]

Makes the Gantry plugin in a folder (the current one unless given):
  src/index.ts     becomes  dist/server.mjs
  ui/index.ts      becomes  dist/ui/index.mjs
  src/commands.ts  becomes  dist/commands.mjs`;

/**
 * The command line `gantry-build`.
 *
 * @returns the exit code: 0 built, 1 not built, 2 wrong arguments.
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  const options = parse(args);
  if (!options) return 2;
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  try {
    process.chdir(resolve(options.folder));
  } catch {
    console.error(`gantry-build: there is no folder ${options.folder}.`);
    return 2;
  }
  // Vite takes another value from our caller as the wish for a development build, with paths of this machine in it.
  process.env["NODE_ENV"] = "production";
  if (!options.watch) return await buildOnce();
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => stop.abort());
  }
  await buildOnChange(
    process.cwd(),
    async () => void (await buildOnce()),
    stop.signal,
    () => console.log("Watching for changes…"),
  );
  return 0;
}

function parse(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { watch: { type: "boolean" }, help: { type: "boolean" } },
      allowPositionals: true,
    });
    if (positionals.length > 1) throw new Error("More than one folder given.");
    return { ...values, folder: positionals[0] ?? "." };
  } catch (error) {
    console.error(`gantry-build: ${(error as Error).message}\n\n${USAGE}`);
    return undefined;
  }
}

async function buildOnce(): Promise<number> {
  const start = performance.now();
  try {
    const plugin = await buildPlugin();
    const seconds = ((performance.now() - start) / 1000).toFixed(2);
    console.log(sizeTable(plugin.folder));
    console.log(`Built ${plugin.name} in ${seconds} s.`);
    return 0;
  } catch (error) {
    for (const text of describeFailure(error)) {
      console.error(`gantry-build: ${text}`);
    }
    return 1;
  }
}
