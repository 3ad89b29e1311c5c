import {
  installCli,
  installPi,
  PI_VERSIONS,
  writeClaudeHome,
  writeCodexHome,
  writeGeminiHome,
  writeOpencodeHome,
  writePiHome,
} from "@gantry/model-server";

/** A CLI of the configuration, as far as a test sets it. */
export interface CliSettings {
  driver: string;
  command: string;
  args?: readonly string[];
  env: Readonly<Record<string, string>>;
}

/** A real CLI, and how its model calls a tool of the server `gantry`. */
export interface RealCli {
  name: string;
  title: string;
  /** Name of one of our tools in the list that the model gets. */
  toTool(tool: string): string;
  /** Settings of a user whose model is the server at this URL; `undefined` if it cannot be installed. */
  configure(home: string, modelUrl: string): Promise<CliSettings | undefined>;
}

/** The CLIs that the drivers know, in the pinned versions. */
export const REAL_CLIS: readonly RealCli[] = [
  {
    name: "claude",
    title: "Claude Code",
    toTool: (tool) => `mcp__gantry__${tool}`,
    async configure(home, modelUrl) {
      const cli = await installCli("claude");
      if (!cli) return undefined;
      const env = await writeClaudeHome(home, modelUrl);
      return { driver: "claude", command: cli.program, env };
    },
  },
  {
    name: "codex",
    title: "Codex",
    toTool: (tool) => `mcp__gantry__${tool}`,
    async configure(home, modelUrl) {
      const cli = await installCli("codex");
      if (!cli) return undefined;
      const env = await writeCodexHome(home, modelUrl);
      return { ...runByNode("codex", cli.program), env };
    },
  },
  {
    name: "opencode",
    title: "opencode",
    toTool: (tool) => `gantry_${tool}`,
    async configure(home, modelUrl) {
      const cli = await installCli("opencode");
      if (!cli) return undefined;
      const env = await writeOpencodeHome(home, modelUrl);
      return { driver: "acp", command: cli.program, args: ["acp"], env };
    },
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    toTool: (tool) => `mcp_gantry_${tool}`,
    async configure(home, modelUrl) {
      const cli = await installCli("gemini");
      if (!cli) return undefined;
      const env = await writeGeminiHome(home, modelUrl);
      return { ...runByNode("acp", cli.program, "--acp"), env };
    },
  },
  {
    name: "pi",
    title: "pi",
    toTool: (tool) => tool,
    async configure(home, modelUrl) {
      const version = PI_VERSIONS.at(-1)!;
      const pi = await installPi(version);
      if (!pi) return undefined;
      await writePiHome(home, modelUrl, version);
      const offline = { PI_OFFLINE: "1", PI_TELEMETRY: "0" };
      const env = { PI_CODING_AGENT_DIR: home, ...offline };
      return { ...runByNode("pi", pi.program), env };
    },
  },
];

const runByNode = (driver: string, ...args: string[]) => ({
  ...{ driver, command: process.execPath, args },
});
