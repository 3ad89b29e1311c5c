import {
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  installPi,
  PERMISSION_GATE,
  PI_VERSIONS,
  startModelServer,
  writePiHome,
  type ModelServer,
} from "@gantry/model-server";
import { readEventStream } from "@gantry/plugin-testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TurnFinished } from "../../src/contract.ts";
import { AgentsKernel, type Clis } from "../help/agents-kernel.ts";
import { Runner } from "../help/runner.ts";
import { isAlive, until } from "../help/wait.ts";

const runner = new Runner();

const programs = await Promise.all(
  PI_VERSIONS.map(async (version) => ({
    version,
    program: (await installPi(version))?.program,
  })),
);

describe.each(programs)("the real pi $version", ({ version, program }) => {
  if (!program) {
    test.skip("is not installed and the registry is out of reach", () =>
      undefined);
    return;
  }

  let models: ModelServer;
  let agents: AgentsKernel;
  let home: string;
  let piHome: string;

  beforeAll(async () => {
    models = await startModelServer();
    home = await realpath(await mkdtemp(join(tmpdir(), "gantry-real-pi-")));
    piHome = join(home, "pi");
    await writePiHome(piHome, models.url, version);
    const env = {
      PI_CODING_AGENT_DIR: piHome,
      PI_OFFLINE: "1",
      PI_TELEMETRY: "0",
    };
    const pi = {
      driver: "pi",
      command: process.execPath,
      args: [program],
      env,
    };
    const gate = join(home, "gate.ts");
    await writeFile(gate, PERMISSION_GATE);
    const clis: Clis = { pi, gated: { ...pi, args: [program, "-e", gate] } };
    agents = await AgentsKernel.start({
      clis,
      beside: [runner.plugin],
      limits: { openAgents: 40 },
    });
  });
  afterAll(async () => {
    await agents.kernel.stop();
    await models.close();
    await rm(home, { recursive: true, force: true });
  });

  const create = (more: object = {}) => agents.create({ cli: "pi", ...more });

  test("it is found, with its version", async () => {
    const { body } = await agents.kernel.api.get<{ items: { name: string }[] }>(
      "/api/agents/clis",
    );
    expect(body.items.find(({ name }) => name === "pi")).toMatchObject({
      version,
      installed: true,
      driver: "pi",
    });
  });

  test("it answers, streams, and the cost is what the tokens cost", async () => {
    const { id } = await create();
    const stream = readEventStream(
      await agents.kernel.api.open(`/api/agents/${id}/stream`),
    );
    const { body } = await agents.ask(
      id,
      "[[usage:1000:200]][[reply:good morning to you]]",
      30_000,
    );
    expect(body).toEqual({
      answer: "good morning to you",
      costUsd: 0.006,
      stopReason: "end",
    });
    let text = "";
    await stream.until(({ event, data }) => {
      if (event === "delta") text += (data as { text: string }).text;
      return event === "turn-ended";
    });
    await stream.close();
    expect(text).toBe("good morning to you");
    expect((await agents.get(id)).usage).toEqual({
      inputTokens: 1000,
      outputTokens: 200,
      costUsd: 0.006,
    });
    const turn = agents.kernel.events
      .all(TurnFinished)
      .find(({ subject }) => subject === id);
    expect(turn?.data).toMatchObject({
      stopReason: "end",
      usage: { costUsd: 0.006 },
    });
  });

  test("a tool call has its output, and each answer of the model is paid for", async () => {
    const { id, cwd } = await create();
    const { body } = await agents.ask(
      id,
      "[[usage:1000:200:500:100]][[think:which folder]][[reply:let me see]][[tool:bash:pwd; exit 3]][[reply:all done]]",
      30_000,
    );
    expect(body.answer).toBe("all done");
    // Twice 1000 in, 200 out, 500 read from and 100 written to the cache.
    expect(body.costUsd).toBeCloseTo(
      2 * (0.003 + 0.003 + 0.00015 + 0.000375),
      9,
    );
    const entries = await agents.entries(id);
    expect(
      entries.map(({ kind, text }) => (kind === "text" ? text : kind)).slice(1),
    ).toEqual(
      expect.arrayContaining(["thinking", "let me see", "tool", "all done"]),
    );
    const tool = entries.find(({ kind }) => kind === "tool");
    expect(tool?.text).toContain(cwd);
    expect(tool?.tool).toMatchObject({ name: "bash", failed: true });
  });

  test("a stop reaches the model", async () => {
    const { id } = await create();
    const asked = agents.ask(
      id,
      "[[reply:one ]][[gate:never]][[reply:two]]",
      30_000,
    );
    const request = await models.waitFor(({ gate }) => gate === "never");
    expect(
      (await agents.kernel.api.post(`/api/agents/${id}/abort`)).body,
    ).toEqual({ aborted: true });
    expect((await asked).body.stopReason).toBe("cancelled");
    await models.waitFor(
      (entry) => entry === request && entry.outcome === "client-gone",
    );
    expect(
      (await agents.ask(id, "[[reply:still here]]", 30_000)).body.answer,
    ).toBe("still here");
  });

  test("a stop reaches a tool, and nothing of it lives on", async () => {
    const { id, cwd } = await create();
    const asked = agents.ask(
      id,
      "[[tool:bash:sleep 300 & echo $! > pid; wait]][[reply:never]]",
      30_000,
    );
    const pid = await until(
      async () =>
        Number(await readFile(join(cwd, "pid"), "utf8").catch(() => "")),
      "the tool runs",
    );
    await agents.kernel.api.post(`/api/agents/${id}/abort`);
    expect((await asked).body).toMatchObject({ stopReason: "cancelled" });
    await until(() => !isAlive(pid), "the tool is gone");
  });

  test("it continues after it was closed", async () => {
    const { id } = await create();
    await agents.ask(
      id,
      "My name is Ada. [[usage:1000:200]][[reply:noted]]",
      30_000,
    );
    const { sessionId } = await agents.get(id);
    await agents.close(id);
    const { body } = await agents.ask(
      id,
      "[[usage:1000:200]][[recall]]",
      30_000,
    );
    expect(body.answer).toContain("My name is Ada");
    expect(body.costUsd).toBe(0.006);
    expect(await agents.get(id)).toMatchObject({
      sessionId,
      usage: { costUsd: 0.012 },
    });
    const answers = (await agents.entries(id)).filter(
      ({ role, kind }) => role === "assistant" && kind === "text",
    );
    expect(answers).toHaveLength(2);
  });

  test("it continues after its process was killed in the middle of a tool", async () => {
    const { id, cwd } = await create();
    await agents.ask(id, "Remember the fox. [[reply:yes]]", 30_000);
    const asked = agents.ask(
      id,
      "[[tool:bash:echo $PPID > parent; sleep 300]][[reply:never]]",
      30_000,
    );
    const parent = await until(
      async () =>
        Number(await readFile(join(cwd, "parent"), "utf8").catch(() => "")),
      "the tool runs",
    );
    process.kill(parent, "SIGKILL");
    expect((await asked).status).toBe(502);
    expect((await agents.ask(id, "[[recall]]", 30_000)).body.answer).toContain(
      "Remember the fox",
    );
  });

  test("prompts during a turn wait, and a steered one goes into it", async () => {
    const { id } = await create();
    const asked = agents.ask(
      id,
      `[[tool:bash:until [ -f go-${version} ]; do sleep 0.05; done]][[reply:base]]`,
      30_000,
    );
    await agents.untilWorking(id);
    await until(
      async () =>
        models.requests.some(({ prompt }) => prompt.includes(`go-${version}`)),
      "the model was asked",
    );
    expect((await agents.prompt(id, "[[reply:afterwards]]")).delivery).toBe(
      "queued",
    );
    expect(
      (await agents.prompt(id, "[[reply:steered]]", "steer")).delivery,
    ).toBe("sent");
    await until(
      async () =>
        (await agents.tasks(id)).some(
          ({ kind, status }) => kind === "steer" && status === "delivered",
        ),
      "it was steered",
    );
    await writeFile(join((await agents.get(id)).cwd, `go-${version}`), "");
    expect((await asked).body.answer).toBe("steered");
    await agents.untilEntry(
      id,
      ({ text }) => text === "afterwards",
      "the other was sent",
    );
    await agents.untilIdle(id);
    expect(
      agents.kernel.events
        .all(TurnFinished)
        .filter(({ subject }) => subject === id),
    ).toHaveLength(2);
  });

  test("the model's failure is the turn's, and a passing one is not", async () => {
    const { id } = await create();
    const failed = await agents.ask(
      id,
      "[[error:400::bad request says the model]]",
      30_000,
    );
    expect(failed.status).toBe(502);
    expect(JSON.stringify(failed.body)).toContain("bad request says the model");
    expect(
      (
        await agents.ask(
          id,
          "[[error:500:1:overloaded_error]][[reply:second try]]",
          30_000,
        )
      ).body.answer,
    ).toBe("second try");
  });

  test("an extension that asks is answered from here", async () => {
    const { id } = await agents.create({ cli: "gated" });
    for (const [label, expected] of [
      ["Yes", "careful\n"],
      ["No", "The user said no."],
    ]) {
      const asked = agents.ask(
        id,
        "[[tool:bash:echo careful]][[reply:ok]]",
        30_000,
      );
      const { dialog } = await agents.untilAgent(
        id,
        (agent) => agent.dialog !== null,
        "a question is open",
      );
      expect(dialog).toMatchObject({
        kind: "permission",
        title: "Run echo careful?",
      });
      await agents.kernel.api.post(`/api/agents/${id}/ui`, {
        dialogId: dialog?.id,
        optionId: label,
      });
      expect((await asked).body.answer).toBe("ok");
      expect(
        (await agents.entries(id)).filter(({ kind }) => kind === "tool").at(-1)
          ?.text,
      ).toContain(expected);
    }
  });

  test("settings reach the model, and the user's own stay as they were", async () => {
    const before = await readFile(join(piHome, "settings.json"), "utf8");
    const { id } = await create({
      model: "local/model-2",
      extraPrompt: "Always rhyme.",
      readOnly: true,
    });
    await agents.ask(id, `[[reply:x${version}]]`, 30_000);
    const request = models.requests.find(
      ({ prompt }) => prompt === `[[reply:x${version}]]`,
    );
    expect(request?.model).toBe("model-2");
    expect(request?.system).toContain("Always rhyme.");
    expect([...(request?.tools ?? [])].sort()).toEqual([
      "find",
      "grep",
      "ls",
      "read",
    ]);
    await agents.close(id);
    expect(await readFile(join(piHome, "settings.json"), "utf8")).toBe(before);
  });

  test("a folder's own extension runs only after it was trusted", async () => {
    const cwd = join(home, "project");
    const mark = join(home, "extension-ran");
    await mkdir(join(cwd, ".pi", "extensions"), { recursive: true });
    await writeFile(
      join(cwd, ".pi", "extensions", "mark.ts"),
      `import { writeFileSync } from "node:fs";\nexport default () => writeFileSync(${JSON.stringify(mark)}, "");\n`,
    );
    const { id } = await create({ cwd });
    expect((await agents.ask(id, "[[reply:x]]", 30_000)).body).toMatchObject({
      code: "AGENT_TRUST_REQUIRED",
    });
    await expect(stat(mark)).rejects.toThrow();
    await agents.kernel.api.post(`/api/agents/${id}/trust`);
    expect(
      (await agents.ask(id, "[[reply:trusted]]", 30_000)).body.answer,
    ).toBe("trusted");
    expect((await stat(mark)).isFile()).toBe(true);
  });

  test("a run stops at its cap, with the cost that was reported", async () => {
    const agentId = await runner.createAgent("pi");
    const run = (prompt: string) =>
      runner.run(agentId, prompt, { maxCostUsd: 0.1 });
    const capped = await run(
      "[[usage:100000:20000]][[tool:bash:true]][[reply:never]]",
    );
    expect(capped).toMatchObject({
      failure: "cost-cap",
      usage: { costUsd: 0.6 },
    });
    const done = await run(
      "[[usage:1000:200]][[tool:bash:true]][[reply:report]]",
    );
    expect(done).toMatchObject({
      failure: null,
      message: "report",
      usage: { costUsd: 0.012 },
    });
  });
});
