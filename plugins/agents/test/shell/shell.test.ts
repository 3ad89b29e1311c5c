import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { MemoryDriver } from "../help/memory-driver.ts";
import { isAlive, until } from "../help/wait.ts";

let agents: AgentsKernel;
let cwd: string;
const memory = new MemoryDriver();

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "gantry-shell-"));
  agents = await AgentsKernel.start({
    clis: memory.clis,
    beside: [memory.plugin],
  });
});
afterAll(async () => {
  await agents.kernel.stop();
  await rm(cwd, { recursive: true, force: true });
});

const create = () => agents.create({ cli: "memory", cwd });
const post = (id: string, path: string, body: object = {}) =>
  agents.kernel.api.post<Record<string, unknown>>(
    `/api/agents/${id}/${path}`,
    body,
  );

describe("bash", () => {
  test("runs in the folder while the agent is closed, and is in the conversation", async () => {
    const { id } = await create();
    const command = "pwd; echo wrong >&2; exit 3";
    const { body } = await post(id, "bash", { command });
    expect(body).toMatchObject({
      exitCode: 3,
      truncated: false,
      timedOut: false,
    });
    expect(String(body["output"]).split("\n").toSorted()).toEqual(
      [cwd, "wrong"].toSorted(),
    );
    expect((await agents.get(id)).state).toBe("closed");
    expect(await agents.entries(id)).toMatchObject([
      {
        role: "user",
        kind: "tool",
        tool: { name: "bash", title: command, failed: true },
      },
    ]);
  });

  test("its output goes to the CLI with the next prompt, once", async () => {
    const { id } = await create();
    await post(id, "bash", { command: "echo first" });
    await post(id, "bash", { command: "echo second" });
    const { body } = await agents.ask(id, "look");
    expect(body.answer).toMatch(/first[^]*second[^]*look$/);
    expect((await agents.entries(id)).map(({ text }) => text)).toContain(
      "look",
    );
    const next = await agents.ask(id, "again");
    // It answers with all that it was told: the command and its output are in it once.
    expect(next.body.answer.split("first")).toHaveLength(3);
  });

  test("a long output keeps its end", async () => {
    const { id } = await create();
    const { body } = await post(id, "bash", {
      command: "head -c 1000000 /dev/zero | tr '\\0' x; echo; echo the end",
    });
    expect(body["truncated"]).toBe(true);
    expect(String(body["output"]).length).toBeLessThanOrEqual(256 * 1024);
    expect(body["output"]).toMatch(/the end$/);
  });

  test("abort ends it with everything that it started", async () => {
    const { id } = await create();
    expect((await post(id, "bash/abort")).body).toEqual({ aborted: false });
    const running = post(id, "bash", {
      command: "sleep 100 & echo $! > pid; wait",
    });
    const pid = await until(async () => {
      const text = await readFile(join(cwd, "pid"), "utf8").catch(() => "");
      return text.endsWith("\n") && Number(text);
    }, "the command runs");
    expect((await post(id, "bash/abort")).body).toEqual({ aborted: true });
    expect((await running).body).toMatchObject({ exitCode: null });
    await until(() => !isAlive(pid), "its child is gone");
  });

  test("a time that is up ends it", async () => {
    const { id } = await create();
    const { body } = await post(id, "bash", {
      command: "echo begun; sleep 100",
      timeoutMs: 1_000,
    });
    expect(body).toMatchObject({ timedOut: true, output: "begun" });
  });

  test("bad input is 400", async () => {
    const { id } = await create();
    for (const body of [
      {},
      { command: "" },
      { command: "a\0b" },
      { command: "x", timeoutMs: 0 },
      { command: "x", cwd: "/" },
    ])
      expect((await post(id, "bash", body)).status).toBe(400);
  });
});

describe("snippet", () => {
  test.each([
    ["bash", "echo $((1+1)); pwd"],
    ["sh", "echo $((1+1)); pwd"],
    ["python", "import os\nprint(1+1)\nprint(os.getcwd())"],
    ["javascript", "console.log(1+1); console.log(process.cwd())"],
    [
      "typescript",
      "const sum: number = 1 + 1;\nconsole.log(sum); console.log(process.cwd())",
    ],
  ])("runs a block of %s in the folder", async (lang, code) => {
    const { id } = await create();
    expect((await post(id, "snippet", { lang, code })).body).toEqual({
      exitCode: 0,
      stdout: `2\n${cwd}\n`,
      stderr: "",
      timedOut: false,
      truncated: false,
    });
  });

  test("reports a failure as the program does, and limits its text", async () => {
    const { id } = await create();
    const failed = await post(id, "snippet", {
      lang: "bash",
      code: "echo no >&2; exit 4",
    });
    expect(failed.body).toMatchObject({ exitCode: 4, stderr: "no\n" });
    const loud = await post(id, "snippet", {
      lang: "javascript",
      code: "process.stdout.write('x'.repeat(1e6))",
    });
    expect(loud.body).toMatchObject({ truncated: true });
    expect(String(loud.body["stdout"]).length).toBeLessThanOrEqual(256 * 1024);
  });

  test("another language is 400", async () => {
    const { id } = await create();
    const { status } = await post(id, "snippet", { lang: "perl", code: "1" });
    expect(status).toBe(400);
  });

  test("nothing of the daemon's own environment reaches it", async () => {
    const { id } = await create();
    process.env["GANTRY_SECRET"] = "a secret of the daemon";
    const { body } = await post(id, "snippet", { lang: "sh", code: "env" });
    delete process.env["GANTRY_SECRET"];
    expect(body["stdout"]).toContain("PATH=");
    expect(body["stdout"]).not.toContain("a secret of the daemon");
  });
});
