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
import { cases } from "@gantry/build/testing";
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
} from "vitest";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";
import { isAtLeast } from "../../src/drivers/version.ts";

describe.each(cases(["0.87.1", "0.74.2"]))("pi %s", (version) => {
  let home: string;
  let agents: AgentsKernel;

  beforeAll(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), "gantry-pi-")));
    const pi = (env: Record<string, string> = {}) =>
      standIn("fake-pi", {
        FAKE_PI_VERSION: version,
        FAKE_PI_HOME: home,
        ...env,
      });
    agents = await AgentsKernel.start({
      clis: {
        pi: pi(),
        long: pi({ FAKE_PI_END: "3000000" }),
        broken: pi({ FAKE_PI_REFUSE: "bad config in settings.json" }),
      },
      limits: { openAgents: 30, abortMs: 300 },
    });
  });
  afterAll(async () => {
    await agents.kernel.stop();
    await rm(home, { recursive: true, force: true });
  });
  beforeEach(() => writeFile(join(home, "argv.jsonl"), ""));

  const argv = async () =>
    (await readFile(join(home, "argv.jsonl"), "utf8"))
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as string[]);
  const trust = version === "0.74.2" ? [] : ["--no-approve"];

  test("it is started with flags alone, and exactly these", async () => {
    const { id } = await agents.create({ cli: "pi" });
    await agents.ask(id, "--resume=x -p [[reply:hi]]");
    await agents.close(id);
    const { sessionId } = await agents.get(id);
    await agents.ask(id, "[[reply:again]]");
    const [first, second] = await argv();
    expect(first).toEqual(["--mode", "rpc", ...trust]);
    expect(second?.slice(0, 3)).toEqual(["--mode", "rpc", "--session"]);
    expect(second?.slice(4)).toEqual(trust);
    const [head = ""] = (await readFile(second?.[3] ?? "", "utf8")).split("\n");
    expect(JSON.parse(head)).toMatchObject({ id: sessionId });
  });

  test("settings become flags, and the extra prompt a file that only the user can read", async () => {
    const { id } = await agents.create({
      cli: "pi",
      model: "fake/fake 1",
      thinking: "high",
      extraPrompt: "/etc/passwd",
      readOnly: true,
    });
    await agents.ask(id, "[[reply:hi]]");
    const [args = []] = await argv();
    const file = args[args.indexOf("--append-system-prompt") + 1] ?? "";
    expect(args).toEqual([
      "--mode",
      "rpc",
      "--model",
      "fake/fake 1",
      "--thinking",
      "high",
      "--tools",
      "read,grep,find,ls",
      "--append-system-prompt",
      file,
      ...trust,
    ]);
    expect(await readFile(file, "utf8")).toBe("/etc/passwd");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test("its version is known, and asked for once", async () => {
    const clis = () =>
      agents.kernel.api.get<{
        items: { name: string; version: string; driver: string }[];
      }>("/api/agents/clis");
    await clis();
    await clis();
    expect(
      (await clis()).body.items.find(({ name }) => name === "pi"),
    ).toMatchObject({ version, driver: "pi" });
    expect(await argv()).toEqual([]);
  });

  test("a retry is no end of the turn", async () => {
    const { id } = await agents.create({ cli: "pi" });
    expect(
      (await agents.ask(id, "[[retry]][[reply:at last]]")).body,
    ).toMatchObject({ answer: "at last", stopReason: "end" });
    expect(await agents.entries(id)).toContainEqual(
      expect.objectContaining({
        kind: "notice",
        text: expect.stringContaining("tries again") as string,
      }),
    );
  });

  test("a command of an extension, which begins no run, ends the turn", async () => {
    const { id } = await agents.create({ cli: "pi" });
    expect((await agents.ask(id, "/reload")).body).toEqual({
      answer: "",
      costUsd: null,
      stopReason: "end",
    });
    expect((await agents.ask(id, "[[reply:still here]]")).body.answer).toBe(
      "still here",
    );
  });

  test("a turn ends although the line that ends it is too long to read", async () => {
    const { id } = await agents.create({ cli: "long" });
    expect((await agents.ask(id, "[[reply:short]]")).body.answer).toBe("short");
  });

  test("a message that is too long to read is given by its pieces, and its cost is not counted", async () => {
    const { id } = await agents.create({ cli: "pi" });
    const { body } = await agents.ask(id, "[[big:22]]");
    expect(body.answer.length).toBe(1_100_000);
    expect(body.costUsd).toBeNull();
    const entries = await agents.entries(id);
    const notices = entries.filter(({ kind }) => kind === "notice");
    expect(notices.map(({ text }) => text).join()).toContain("too long");
    const answer = entries.find(
      ({ role, kind }) => role === "assistant" && kind === "text",
    );
    expect([answer?.text.length, answer?.truncated]).toEqual([
      256 * 1024,
      true,
    ]);
  });

  test("a message that is steered when nothing runs begins a turn of its own", async () => {
    const { id } = await agents.create({ cli: "pi" });
    await agents.prompt(id, "[[reply:steered]]", "steer");
    await agents.untilEntry(
      id,
      ({ text }) => text === "steered",
      "it was answered",
    );
  });

  test("a stop that cut a message off leaves its cost unknown, not 0", async () => {
    const { id } = await agents.create({ cli: "pi" });
    const asked = agents.ask(id, "[[long:5000:5]]");
    await agents.untilWorking(id);
    await agents.kernel.api.post(`/api/agents/${id}/abort`);
    expect((await asked).body).toMatchObject({
      stopReason: "cancelled",
      costUsd: null,
    });
  });

  test("tokens are counted with what was cached", async () => {
    const { id } = await agents.create({ cli: "pi" });
    await agents.ask(id, "[[reply:x]]");
    expect((await agents.get(id)).usage).toEqual({
      inputTokens: 100,
      outputTokens: 20,
      costUsd: 0.0006,
    });
  });

  test("a conversation that pi has lost starts over, and says so", async () => {
    const { id } = await agents.create({ cli: "pi" });
    await agents.ask(id, "[[reply:x]]");
    await agents.close(id);
    await agents.ask(id, "[[recall]]");
    await agents.close(id);
    const file = (await argv()).at(-1)?.[3] ?? "";
    await rm(file);
    expect((await agents.ask(id, "[[recall]]")).body.answer).toBe(
      'recall ["[[recall]]"]',
    );
    expect(await agents.entries(id)).toContainEqual(
      expect.objectContaining({
        kind: "notice",
        text: expect.stringContaining("begins again") as string,
      }),
    );
  });

  test("one that does not start says why", async () => {
    const { id } = await agents.create({ cli: "broken" });
    const answer = await agents.kernel.api.post<{ detail: string }>(
      `/api/agents/${id}/managed/start`,
    );
    expect(answer).toMatchObject({
      status: 502,
      body: { code: "AGENT_START_FAILED" },
    });
    expect(answer.body.detail).toContain("bad config in settings.json");
    expect((await agents.get(id)).state).toBe("closed");
  });

  test("a folder that brings extensions is not run in before it is trusted", async () => {
    const cwd = join(home, `project-${version}`);
    await mkdir(join(cwd, ".pi", "extensions"), { recursive: true });
    await writeFile(
      join(cwd, ".pi", "extensions", "evil.ts"),
      "console.log('hi')",
    );
    const { id } = await agents.create({ cli: "pi", cwd });
    await writeFile(join(home, "argv.jsonl"), "");
    const refused = await agents.kernel.api.post<{ detail: string }>(
      `/api/agents/${id}/prompt`,
      { message: "[[reply:x]]" },
    );
    expect(refused).toMatchObject({
      status: 409,
      body: { code: "AGENT_TRUST_REQUIRED" },
    });
    expect(refused.body.detail).toContain(".pi/extensions");
    expect(await argv()).toEqual([]);
    const trusting = () => agents.kernel.api.post(`/api/agents/${id}/trust`);
    expect((await trusting()).body).toEqual({ trusted: true, already: false });
    expect((await trusting()).body).toEqual({ trusted: true, already: true });
    expect((await agents.ask(id, "[[reply:x]]")).body.answer).toBe("x");
    expect((await argv())[0]?.at(-1)).toBe(
      version === "0.74.2" ? "rpc" : "--approve",
    );
    await agents.close(id);
    await writeFile(
      join(cwd, ".pi", "extensions", "evil.ts"),
      "console.log('changed')",
    );
    expect((await agents.ask(id, "[[reply:x]]")).body).toMatchObject({
      code: "AGENT_TRUST_REQUIRED",
    });
  });
});

test.each([
  ["0.74.2", false],
  ["0.80.3", false],
  ["0.80.4", true],
  ["0.87.1", true],
  ["1.5.2", true],
  ["pi 0.9.99", false],
  [null, true],
])("%s settles by itself: %s", (version, expected) => {
  expect(isAtLeast(version, [0, 80, 4])).toBe(expected);
});
