import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pluginCode } from "../../../core/test/support/daemon.ts";

/** Puts a plugin with commands into a folder of plugins, as an installation does. */
export async function putCommandPlugin(
  plugins: string,
  id: string,
  commands: string,
  { description = "Made for a test", server = pluginCode(id), name = id } = {},
): Promise<void> {
  const folder = join(plugins, id);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const manifest = {
    name: `@acme/${id}`,
    version: "1.0.0",
    type: "module",
    gantry: {
      api: 1,
      server: "./server.mjs",
      commands: { name, description, file: "./commands.mjs" },
    },
  };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "server.mjs"), server);
  await writeFile(join(folder, "commands.mjs"), commands);
}

/** Code of a file of commands; each is its options and the body of `run({ … })`. */
export function commandsCode(
  name: string,
  commands: Readonly<Record<string, { run: string; options?: object }>>,
): string {
  const entries = Object.entries(commands).map(
    ([word, { run, options = {} }]) => `${JSON.stringify(word)}: {
      description: "Does ${word}",
      options: ${JSON.stringify(options)},
      async run({ args, daemon, withStoppedHome, folder, config, askSecret, print, signal }) { ${run} },
    },`,
  );
  return `export default { name: "${name}", description: "x", commands: { ${entries.join("\n")} } };`;
}
