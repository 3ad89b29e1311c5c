import { access } from "node:fs/promises";
import { join } from "node:path";
import { installPackage, type PinnedPackage } from "./install-cli.ts";

/** A real agent CLI on this machine. */
export interface InstalledCli {
  version: string;
  /** What is run: a program of the machine, or one for Node. */
  program: string;
  isForNode: boolean;
}

const PLATFORM = `${process.platform}-${process.arch}`;

/** Programs by where they stand in `node_modules`. The native ones need no launcher, and no install script. */
const CLIS = {
  claude: {
    name: "claude",
    package: "@anthropic-ai/claude-code",
    version: "2.1.197",
    programs: [`@anthropic-ai/claude-code-${PLATFORM}/claude`],
    isForNode: false,
  },
  codex: {
    name: "codex",
    package: "@openai/codex",
    version: "0.169.0",
    programs: ["@openai/codex/bin/codex.js"],
    isForNode: true,
  },
  opencode: {
    name: "opencode",
    package: "opencode-ai",
    version: "1.18.33",
    programs: [`opencode-${PLATFORM}/bin/opencode`],
    isForNode: false,
  },
  gemini: {
    name: "gemini",
    package: "@google/gemini-cli",
    version: "0.61.0",
    programs: [
      "@google/gemini-cli/bundle/gemini.js",
      "@google/gemini-cli/dist/index.js",
    ],
    isForNode: true,
  },
} satisfies Record<
  string,
  PinnedPackage & { programs: string[]; isForNode: boolean }
>;

/** Agent CLIs that are tested in one version, beside pi. */
export type CliName = keyof typeof CLIS;

/** Installs the pinned version of a CLI, once. Gives `undefined` if the registry is out of reach or has none for here. */
export async function installCli(
  name: CliName,
): Promise<InstalledCli | undefined> {
  const cli = CLIS[name];
  const modules = await installPackage(cli);
  if (modules === undefined) return undefined;
  for (const path of cli.programs) {
    const program = join(modules, path);
    const isThere = await access(program).then(
      () => true,
      () => false,
    );
    if (isThere)
      return { version: cli.version, program, isForNode: cli.isForNode };
  }
  console.warn(`${name} ${cli.version} has no program for ${PLATFORM}.`);
  return undefined;
}
