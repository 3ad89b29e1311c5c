import { mkdir, symlink } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import {
  installCli,
  installPi,
  PI_VERSIONS,
  startModelServer,
  writeClaudeHome,
  writeCodexHome,
  writeGeminiHome,
  writeOpencodeHome,
  writePiHome,
} from "@gantry/model-server";
import type { ModelServer } from "@gantry/model-server";

/** A real CLI, as the tests of the built daemon use it. */
export interface RealCli {
  /** What the daemon knows it as without any configuration. */
  readonly name: string;
  readonly title: string;
  /** Comes before the name of a tool of the server `gantry`. */
  readonly toolPrefix: string;
  /** It puts what tool servers say of themselves into the instructions of the model, and not into its first message. */
  readonly tellsInSystem: boolean;
  /** The program, installed on first use; `undefined` if the registry is out of reach. */
  install(): Promise<string | undefined>;
  /** Writes the settings of a user whose model is the given server; gives what belongs into the environment. */
  configure(
    home: string,
    modelUrl: string,
  ): Promise<Readonly<Record<string, string>>>;
}

/** A user with a CLI on the PATH, whose model does what the tests say. */
export interface CliUser {
  readonly models: ModelServer;
  /** The environment that their daemon is started in. */
  readonly environment: NodeJS.ProcessEnv;
  [Symbol.asyncDispose](): Promise<void>;
}

const piVersion = PI_VERSIONS.at(-1)!;

/** The agent CLIs that the daemon knows, beside its own. */
export const REAL_CLIS: readonly RealCli[] = [
  {
    name: "pi",
    title: "pi",
    toolPrefix: "",
    tellsInSystem: true,
    install: async () => (await installPi(piVersion))?.program,
    async configure(home, modelUrl) {
      await writePiHome(join(home, ".pi", "agent"), modelUrl, piVersion);
      return { HOME: home, PI_OFFLINE: "1", PI_TELEMETRY: "0" };
    },
  },
  {
    name: "claude",
    title: "Claude Code",
    toolPrefix: "mcp__gantry__",
    tellsInSystem: true,
    install: async () => (await installCli("claude"))?.program,
    configure: writeClaudeHome,
  },
  {
    name: "codex",
    title: "Codex",
    toolPrefix: "mcp__gantry__",
    tellsInSystem: true,
    install: async () => (await installCli("codex"))?.program,
    configure: writeCodexHome,
  },
  {
    name: "opencode",
    title: "OpenCode",
    toolPrefix: "gantry_",
    tellsInSystem: true,
    install: async () => (await installCli("opencode"))?.program,
    configure: writeOpencodeHome,
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    toolPrefix: "mcp_gantry_",
    tellsInSystem: false,
    install: async () => (await installCli("gemini"))?.program,
    configure: writeGeminiHome,
  },
];

/** Makes a user of a CLI in a folder; `undefined` if the CLI cannot be installed. */
export async function createCliUser(
  cli: RealCli,
  folder: string,
): Promise<CliUser | undefined> {
  const program = await cli.install();
  if (program === undefined) return undefined;
  const commands = join(folder, "commands");
  await mkdir(commands, { recursive: true });
  await symlink(program, join(commands, cli.name));
  const models = await startModelServer();
  const settings = await cli.configure(join(folder, "user"), models.url);
  return {
    models,
    environment: {
      ...settings,
      // Programs for Node are started by whatever `node` is found first.
      PATH: [commands, dirname(process.execPath), process.env["PATH"]]
        .filter(Boolean)
        .join(delimiter),
    },
    [Symbol.asyncDispose]: () => models.close(),
  };
}
