import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  type ModelServer,
} from "@gantry/model-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BUILT_IN_CLIS } from "../../src/clis/built-in-clis.ts";
import { DialogOpened } from "../../src/contract.ts";
import { AgentsKernel, type Clis } from "../help/agents-kernel.ts";
import { ToolPlugin } from "../help/tool-plugin.ts";
import { mentions, processesIn, until } from "../help/wait.ts";

/** A real CLI, and how its model calls a tool of our server. */
interface Subject {
  name: string;
  version?: string;
  prefix: string;
  readOnly: boolean;
  /** It writes its whole environment into its own folder. */
  keepsEnvironment?: boolean;
  /** `undefined` if it is not installed and cannot be. */
  configure: (
    home: string,
    models: ModelServer,
  ) => Promise<Clis[string] | undefined>;
}

/** So long does the program take to start when the machine is busy. */
const SLOW_START_MS = 8_000;

const TITLES: Readonly<Record<string, string>> = {
  claude: "Claude Code",
  codex: "Codex",
  gemini: "Gemini CLI",
};

const titleOf = ({ name, version = "" }: Subject) =>
  `${TITLES[name] ?? name} ${version}`.trim();

const subjects: Subject[] = [
  {
    name: "claude",
    prefix: "mcp__bench-tools__",
    readOnly: true,
    async configure(home, models) {
      const cli = await installCli("claude");
      const env = await writeClaudeHome(home, models.url);
      return cli && { driver: "claude", command: cli.program, env };
    },
  },
  {
    name: "codex",
    prefix: "mcp__bench_tools__",
    readOnly: true,
    keepsEnvironment: true,
    async configure(home, models) {
      const cli = await installCli("codex");
      const env = await writeCodexHome(home, models.url);
      const args = [cli?.program ?? ""];
      return cli && { driver: "codex", command: process.execPath, args, env };
    },
  },
  {
    name: "opencode",
    prefix: "bench-tools_",
    readOnly: false,
    async configure(home, models) {
      const cli = await installCli("opencode");
      const config = BUILT_IN_CLIS["opencode"];
      const env = await writeOpencodeHome(home, models.url);
      return (
        cli &&
        config && {
          ...config,
          command: cli.program,
          env: { ...config.env, ...env },
        }
      );
    },
  },
  {
    name: "gemini",
    prefix: "mcp_bench-tools_",
    readOnly: false,
    async configure(home, models) {
      const cli = await installCli("gemini");
      const config = BUILT_IN_CLIS["gemini"];
      const env = await writeGeminiHome(home, models.url);
      return (
        cli &&
        config && {
          ...config,
          command: process.execPath,
          args: [cli.program, ...config.args],
          version: [cli.program, "--version"],
          env,
        }
      );
    },
  },
  ...PI_VERSIONS.map((version) => ({
    name: "pi",
    version,
    prefix: "",
    readOnly: true,
    async configure(home: string, models: ModelServer) {
      const pi = await installPi(version);
      await writePiHome(home, models.url, version);
      const args = [pi?.program ?? ""];
      const offline = { PI_OFFLINE: "1", PI_TELEMETRY: "0" };
      const env = { PI_CODING_AGENT_DIR: home, ...offline };
      return pi && { driver: "pi", command: process.execPath, args, env };
    },
  })),
];

describe.each(subjects.map((subject) => [titleOf(subject), subject] as const))(
  "the real %s: tools",
  (_title, subject) => {
    const { name, prefix } = subject;
    let models: ModelServer;
    let folder: string;
    let offer: ToolPlugin;
    let agents: AgentsKernel | undefined;

    beforeAll(async () => {
      models = await startModelServer();
      folder = await realpath(await mkdtemp(join(tmpdir(), "gantry-tools-")));
      offer = new ToolPlugin(folder);
      const config = await subject.configure(join(folder, "user"), models);
      if (!config) return;
      agents = await AgentsKernel.start({
        clis: { [name]: config } as Clis,
        beside: [offer.plugin],
      });
    });
    afterAll(async () => {
      await agents?.kernel.stop();
      await models.close();
      await rm(folder, { recursive: true, force: true });
    });

    /** Has the model call the tool; gives what the tool was called with. */
    async function call(id: string, text: string) {
      const input = JSON.stringify({ text });
      const { body } = await agents!.ask(
        id,
        `[[toolj:${prefix}echo:${input}]][[reply:called ${text}]]`,
        50_000,
      );
      expect(body.answer).toBe(`called ${text}`);
      return offer.called.find((each) => JSON.stringify(each.input) === input);
    }

    test("it calls them without asking, with the key of the session", async ({
      skip,
    }) => {
      if (!agents) return skip();
      const { id, cwd } = await agents.create({ cli: name });
      const first = await call(id, "one");
      expect(first?.key).toBe(offer.admitted.at(-1)?.key);
      const { all } = agents.kernel.events;
      expect(all(DialogOpened)).toEqual([]);
      const entries = await agents.entries(id);
      expect(JSON.stringify(entries)).toContain("echo: one");
      // Neither the daemon nor the CLI has written the key down.
      const { key = "" } = first ?? {};
      expect(await mentions(agents.kernel.home, key)).toBe(false);
      if (!subject.keepsEnvironment)
        expect(await mentions(join(folder, "user"), key)).toBe(false);
      await agents.close(id);
      await until(
        async () => (await processesIn(cwd)).length === 0,
        "the tool server is gone",
      );
      const second = await call(id, "two");
      expect(second?.key).toBe(offer.admitted.at(-1)?.key);
      expect(second?.key).not.toBe(first?.key);
    });

    test("its first turn has them although their server starts slowly", async ({
      skip,
    }) => {
      if (!agents) return skip();
      offer.startMs = SLOW_START_MS;
      const { id } = await agents.create({ cli: name });
      expect(await call(id, "slow")).toBeDefined();
      offer.startMs = 0;
    });

    test.runIf(subject.readOnly)(
      "it has them if it may only read",
      async ({ skip }) => {
        if (!agents) return skip();
        const { id } = await agents.create({ cli: name, readOnly: true });
        expect(await call(id, "three")).toBeDefined();
      },
    );
  },
);
