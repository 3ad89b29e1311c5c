import {
  access,
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
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
import type { CliConfig } from "../../src/config.ts";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { Runner } from "../help/runner.ts";

/** A tool server of the user, which nothing asks about. */
interface Server {
  command: string;
  args: string[];
}

/** A real CLI whose user allows it everything, as far as its settings can say that. */
interface Subject {
  cli: string;
  installed: { program: string; isForNode: boolean } | undefined;
  /** Its environment. */
  writeHome(
    home: string,
    url: string,
    server: Server,
  ): Promise<Record<string, string>>;
  /** Its user's tool server is not even started. */
  startsNoServer?: boolean;
  /** A tool that reads a file, if the shell cannot be judged: it does not say with what it is called. */
  reads?: string;
  /** Tools that would write, with their input. */
  writes(file: string): readonly (readonly [name: string, input: object])[];
}

const toProgram = (pi: Awaited<ReturnType<typeof installPi>>) =>
  pi && { program: pi.program, isForNode: true };

const SUBJECTS: readonly Subject[] = [
  ...(await Promise.all(
    PI_VERSIONS.map(async (version): Promise<Subject> => ({
      cli: "pi",
      installed: toProgram(await installPi(version)),
      async writeHome(home, url) {
        await writePiHome(join(home, "pi"), url, version);
        return {
          HOME: home,
          PI_CODING_AGENT_DIR: join(home, "pi"),
          PI_OFFLINE: "1",
        };
      },
      writes: (path) => [["write", { path, content: "x" }]],
    })),
  )),
  {
    cli: "claude",
    installed: await installCli("claude"),
    startsNoServer: true,
    async writeHome(home, url, server) {
      const env = await writeClaudeHome(home, url);
      await change(join(home, ".claude.json"), {
        mcpServers: { eager: { type: "stdio", ...server } },
      });
      const allow = ["Bash", "Bash(touch:*)", "Edit", "Write", "mcp__eager"];
      const say = `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'`;
      await change(join(home, ".claude", "settings.json"), {
        permissions: { allow, defaultMode: "bypassPermissions" },
        hooks: {
          PreToolUse: [
            { matcher: "*", hooks: [{ type: "command", command: say }] },
          ],
        },
      });
      // Else it does not do everything where it runs as root.
      return { ...env, IS_SANDBOX: "1" };
    },
    writes: (file_path) => [
      ["Write", { file_path, content: "x" }],
      ["mcp__eager__put", {}],
    ],
  },
  {
    cli: "codex",
    installed: await installCli("codex"),
    startsNoServer: true,
    async writeHome(home, url, { command, args }) {
      const env = await writeCodexHome(home, url);
      const file = join(home, "config.toml");
      const config = (await readFile(file, "utf8")).replace(
        'sandbox_mode = "workspace-write"',
        'sandbox_mode = "danger-full-access"\napproval_policy = "never"',
      );
      await writeFile(file, config);
      await appendFile(
        file,
        `\n[mcp_servers.eager]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`,
      );
      return env;
    },
    // Its model finds tools of servers by a search, so that none can be called by name.
    writes: () => [],
  },
  {
    cli: "opencode",
    installed: await installCli("opencode"),
    async writeHome(home, url, { command, args }) {
      const env = await writeOpencodeHome(home, url);
      await change(join(home, "opencode.json"), {
        permission: "allow",
        agent: { build: { permission: { "*": "allow", bash: "allow" } } },
        mcp: { eager: { type: "local", command: [command, ...args] } },
      });
      return env;
    },
    writes: (filePath) => [
      ["write", { filePath, content: "x" }],
      ["eager_put", {}],
    ],
  },
  {
    cli: "gemini",
    installed: await installCli("gemini"),
    startsNoServer: true,
    async writeHome(home, url, server) {
      const env = await writeGeminiHome(home, url);
      await change(join(home, ".gemini", "settings.json"), {
        tools: { allowed: ["run_shell_command", "write_file"] },
        mcpServers: { eager: { ...server, trust: true } },
      });
      const rules = join(home, ".gemini", "policies", "all.toml");
      await mkdir(dirname(rules), { recursive: true });
      await writeFile(
        rules,
        '[[rule]]\ntoolName = "*"\ndecision = "allow"\npriority = 999\n',
      );
      return env;
    },
    reads: "read_file",
    writes: (file_path) => [
      ["write_file", { file_path, content: "x" }],
      ["mcp_eager_put", {}],
    ],
  },
];

describe.each(SUBJECTS)("the real $cli", (subject) => {
  const { cli, installed } = subject;
  if (!installed) {
    test.skip("is not installed and the registry is out of reach", () =>
      undefined);
    return;
  }

  const runner = new Runner();
  let models: ModelServer;
  let agents: AgentsKernel;
  let home: string;
  /** What the user's tool server writes. */
  let served: string;

  beforeAll(async () => {
    models = await startModelServer();
    home = await realpath(await mkdtemp(join(tmpdir(), "gantry-report-")));
    served = join(home, "served.txt");
    const server = {
      command: process.execPath,
      args: [
        fileURLToPath(new URL("../stand-ins/eager-server.ts", import.meta.url)),
        served,
      ],
    };
    const user = join(home, "user");
    const env = await subject.writeHome(user, models.url, server);
    const known: Partial<CliConfig> = BUILT_IN_CLIS[cli] ?? {};
    const start = installed.isForNode
      ? { command: process.execPath, args: [installed.program] }
      : { command: installed.program, args: [] };
    agents = await AgentsKernel.start({
      clis: {
        [cli]: {
          ...known,
          driver: known.driver ?? cli,
          command: start.command,
          args: [...start.args, ...(known.args ?? [])],
          env: { ...known.env, ...env },
          ...(known.version && {
            version: [...start.args, ...known.version],
          }),
        },
      },
      beside: [runner.plugin],
    });
  });
  afterAll(async () => {
    await agents.kernel.stop();
    await models.close();
    await rm(home, { recursive: true, force: true });
  });

  /** A start of the slowest takes 20 s on a busy machine. */
  const timeout = 240_000;
  const REPORT_ONLY = {
    permissions: { mode: "report-only", tools: [] },
    timeoutMs: 120_000,
  } as const;

  /** What would change a file in a folder, and the one of the user's server. */
  const callsIn = (cwd: string) => [
    ...subject
      .writes(join(cwd, "by-a-tool.txt"))
      .map(([name, input]) => `[[toolj:${name}:${JSON.stringify(input)}]]`),
    "[[tool:bash:touch by-the-shell.txt]]",
  ];

  test("reads in a run that only reports", { timeout }, async () => {
    const agentId = await runner.createAgent(cli);
    const { cwd } = await agents.get(agentId);
    // A file of the system: the sandbox of Codex has a temporary folder of its own.
    await writeFile(join(cwd, "seen.txt"), "root: see");
    const input = JSON.stringify({ file_path: join(cwd, "seen.txt") });
    const call = subject.reads
      ? `[[toolj:${subject.reads}:${input}]]`
      : "[[tool:bash:head -1 /etc/passwd]]";
    const prompt = `${call}[[reply:my report]]`;
    const outcome = await runner.run(agentId, prompt, REPORT_ONLY);
    expect(outcome).toMatchObject({ failure: null, message: "my report" });
    const results = models.requests.map(({ toolResult }) =>
      JSON.stringify(toolResult),
    );
    expect(results.join()).toContain("root:");
  });

  test(
    "changes nothing in one, whatever its user allows",
    { timeout },
    async () => {
      const agentId = await runner.createAgent(cli);
      const { cwd } = await agents.get(agentId);
      // One prompt for each: some end their turn at the first refusal.
      for (const call of callsIn(cwd)) {
        await runner.run(agentId, `${call}[[reply:my report]]`, REPORT_ONLY);
        expect(await readdir(cwd), call).toEqual([]);
        await expect(access(served), call).rejects.toThrow("ENOENT");
      }
      if (subject.startsNoServer)
        await expect(access(`${served}.started`)).rejects.toThrow("ENOENT");
    },
  );

  test("would change it all without that", { timeout }, async () => {
    const agentId = await runner.createAgent(cli);
    const { cwd } = await agents.get(agentId);
    const calls = callsIn(cwd);
    await runner.run(agentId, `${calls.join("")}[[reply:done]]`, {
      permissions: { mode: "reject", tools: [] },
      timeoutMs: 120_000,
    });
    const written = await readdir(cwd);
    expect(written).toContain("by-the-shell.txt");
    if (calls.join("").includes("by-a-tool.txt"))
      expect(written).toContain("by-a-tool.txt");
    // Claude Code has none in a folder that is not trusted.
    if (cli === "opencode" || cli === "gemini")
      expect(await readFile(served, "utf8")).toBe("written");
    if (cli === "codex") await access(`${served}.started`);
  });
});

/** Changes a file of settings, which may not be there. */
async function change(file: string, more: object): Promise<void> {
  const settings = await readFile(file, "utf8").then(
    (text) => JSON.parse(text) as object,
    () => ({}),
  );
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify({ ...settings, ...more }));
}
