import { mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { thoroughUnless } from "@gantry/build/testing";
import {
  afterAll,
  beforeAll,
  describe,
  expect,
  onTestFinished,
  test,
} from "vitest";
import { TurnCutOff, TurnResumed } from "../../src/contract.ts";
import type { AgentView } from "../../src/records/agent-record.ts";
import type { Entry } from "../../src/transcript/entry.ts";
import { AgentsKernel, standIn, type Clis } from "../help/agents-kernel.ts";
import { startDoomedDaemon } from "../help/doomed-daemon.ts";
import { ScriptedCli } from "../help/scripted-cli.ts";
import { until } from "../help/wait.ts";

// A turn that a stop or a crash of the daemon cut off says so, and is continued once, when the user says so.

let home: string;
let clis: Clis;
let agents: AgentsKernel;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-cut-off-"));
  clis = {
    pi: standIn("fake-pi", { FAKE_PI_HOME: join(home, "pi") }),
    claude: standIn("fake-claude", { HOME: home }),
    codex: standIn("fake-codex", { CODEX_HOME: join(home, "codex") }),
  };
  agents = await AgentsKernel.start({
    home: join(home, "kernel"),
    clis,
    limits: { openAgents: 50 },
  });
});
afterAll(async () => {
  await agents.kernel.stop();
  await rm(home, { recursive: true, force: true });
});

const GO_ON = /^The Gantry daemon stopped while you worked on my last message/;

type Answer = { taskId?: string; code?: string };

const continueTurn = (id: string, turnId: string | undefined) =>
  agents.kernel.api.post<Answer>(`/api/agents/${id}/continue`, { turnId });

const userTexts = async (id: string) =>
  (await agents.entries(id)).flatMap(({ role, text }) =>
    role === "user" ? [text] : [],
  );

/** A message at which a CLI works until it is stopped, and a file that is there once it does. */
async function endlessWork(): Promise<{ message: string; sign: string }> {
  const sign = join(await mkdtemp(join(home, "work-")), "sign");
  const message = `work [[reply:some]][[run:echo $$ > ${sign}; sleep 300]]`;
  return { message, sign };
}

const untilThere = (sign: string) =>
  until(
    async () => (await readFile(sign, "utf8").catch(() => "")) !== "",
    "it works",
  );

/** An agent whose turn was cut off in the middle by a stop of the daemon. */
async function cutOff(cli = "practice"): Promise<AgentView> {
  const { id } = await agents.create({ cli });
  await agents.ask(id, "[[reply:ready]]");
  const { message, sign } = await endlessWork();
  await agents.prompt(id, message);
  await untilThere(sign);
  await agents.kernel.restart();
  return await agents.get(id);
}

for (const cli of ["practice", "pi", "claude", "codex"])
  describe(cli, { tags: thoroughUnless(cli === "practice") }, () => {
    test("continues a turn in the same session, once", async () => {
      const { id, state, sessionId, cutOff: cut } = await cutOff(cli);
      expect(state).toBe("closed");
      expect(cut).toMatchObject({ queuedTaskId: null, continuedBy: null });
      const [last] = (await agents.entries(id)).slice(-1);
      expect(last).toMatchObject({
        turnId: cut?.turnId,
        kind: "error",
        cutOff: true,
        text: "The daemon stopped during this turn.",
      });

      const clicks = await Promise.all([
        continueTurn(id, cut?.turnId),
        continueTurn(id, cut?.turnId),
      ]);
      // Either may come first.
      const taken = clicks.find(({ status }) => status === 200);
      expect(taken).toBeDefined();
      for (const click of clicks)
        expect([
          taken?.body,
          expect.objectContaining({ code: "TURN_NOT_CUT_OFF" }),
        ]).toContainEqual(click.body);
      await agents.untilAgent(
        id,
        (agent) => agent.cutOff === null,
        "it continued",
      );
      await agents.untilIdle(id);
      const { sessionId: later } = await agents.get(id);
      expect(later).toBe(sessionId);
      const texts = await userTexts(id);
      expect(texts.filter((text) => GO_ON.test(text))).toHaveLength(1);
      const { body: recalled } = await agents.ask(id, "[[recall]]");
      expect(recalled.answer.split("The Gantry daemon stopped")).toHaveLength(
        2,
      );
      expect(await continueTurn(id, cut?.turnId)).toMatchObject({
        status: 409,
        body: { code: "TURN_NOT_CUT_OFF" },
      });
    });

    test(
      "continues a turn after a kill of the daemon",
      { tags: "thorough" },
      async () => {
        const folder = await mkdtemp(join(home, "killed-"));
        let daemon = await startDoomedDaemon(folder, clis);
        const create = { name: "D", cli };
        const { id } = (
          await daemon.call<AgentView>("POST", "/api/agents", create)
        ).body;
        await daemon.call("POST", `/api/agents/${id}/ask`, {
          text: "[[recall]]",
        });
        const { message, sign } = await endlessWork();
        await daemon.call("POST", `/api/agents/${id}/prompt`, { message });
        await untilThere(sign);
        await daemon.kill();

        daemon = await startDoomedDaemon(folder, clis);
        const get = async () =>
          (await daemon.call<AgentView>("GET", `/api/agents/${id}`)).body;
        const { cutOff: cut } = await get();
        expect(cut).toMatchObject({ queuedTaskId: null, continuedBy: null });
        const { status } = await daemon.call(
          "POST",
          `/api/agents/${id}/continue`,
          {
            turnId: cut?.turnId,
          },
        );
        expect(status).toBe(200);
        await until(async () => (await get()).cutOff === null, "it continued");
        const { items } = (
          await daemon.call<{ items: Entry[] }>(
            "GET",
            `/api/agents/${id}/messages`,
          )
        ).body;
        expect(items.filter(({ text }) => GO_ON.test(text))).toHaveLength(1);
        await daemon.kill();
      },
    );
  });

test(
  "continues before the messages that wait",
  { tags: "thorough" },
  async () => {
    const { id, cutOff: cut } = await cutOff();
    for (const message of ["[[reply:one]]", "[[reply:two]]"])
      await agents.kernel.api.post(`/api/agents/${id}/tasks`, {
        payload: { message },
      });
    await continueTurn(id, cut?.turnId);
    await agents.untilEntry(id, ({ text }) => text === "two", "all is said");
    const texts = (await userTexts(id)).slice(-3);
    expect(texts[0]).toMatch(GO_ON);
    expect(texts.slice(1)).toEqual(["[[reply:one]]", "[[reply:two]]"]);
  },
);

test("events report it, and that the conversation continued", async () => {
  const { id, cutOff: cut } = await cutOff();
  const { turnId } = cut!;
  const { events } = agents.kernel;
  expect(events.all(TurnCutOff).at(-1)).toMatchObject({
    subject: id,
    data: { turnId, runId: null, agentName: "Tester" },
  });
  // Whatever the user says continues the conversation.
  await agents.ask(id, "[[reply:never mind]]");
  expect(events.all(TurnResumed).at(-1)).toMatchObject({
    subject: id,
    data: { turnId },
  });
  expect((await agents.get(id)).cutOff).toBeNull();
  expect((await continueTurn(id, turnId)).status).toBe(409);
});

test("an agent that cannot be started is offered to be continued again", async () => {
  const { id, cwd, cutOff: cut } = await cutOff();
  await rename(cwd, `${cwd}-away`);
  expect(await continueTurn(id, cut?.turnId)).toMatchObject({
    status: 400,
    body: { code: "AGENT_FOLDER_INVALID" },
  });
  expect((await agents.get(id)).cutOff?.continuedBy).toBeNull();
  expect((await agents.tasks(id))[0]?.status).toBe("cancelled");
  await rename(`${cwd}-away`, cwd);
  expect((await continueTurn(id, cut?.turnId)).status).toBe(200);
  await agents.untilAgent(id, (agent) => agent.cutOff === null, "it continued");
});

describe("with a CLI of which each step is known", () => {
  let cli: ScriptedCli;
  let scripted: AgentsKernel;
  let id: string;

  /** Begins a turn of which the CLI does what is said, and stops the daemon. */
  async function cutOffAfter(
    steps: (known: ScriptedCli) => unknown,
    { isReadable = true, message = "work" } = {},
  ): Promise<string> {
    cli = new ScriptedCli({ isReadable });
    scripted = await AgentsKernel.start({
      clis: cli.clis,
      beside: [cli.plugin()],
      limits: { abortMs: 100 },
    });
    onTestFinished(() => scripted.kernel.stop());
    ({ id } = await scripted.create({ cli: "scripted" }));
    await scripted.prompt(id, message);
    await until(() => cli.hasPrompt, "the prompt is written");
    await steps(cli);
    await scripted.kernel.restart();
    const { cutOff: cut } = await scripted.get(id);
    cli.isWilling = true;
    return cut?.turnId ?? "";
  }

  const post = (what: string, body: object) =>
    scripted.kernel.api.post<Answer>(`/api/agents/${id}/${what}`, body);
  const untilOver = () =>
    scripted.untilAgent(
      id,
      ({ cutOff: cut, activity }) => cut === null && activity === "idle",
      "it continued",
    );

  test("a prompt that it never had is sent itself", async () => {
    const turnId = await cutOffAfter(() => undefined);
    const [task] = await scripted.tasks(id);
    expect(task?.status).toBe("queued");
    expect((await scripted.entries(id)).at(-1)).toMatchObject({
      cutOff: true,
      text: "The daemon stopped before the agent had the last message, which waits to be sent.",
    });
    const clicks = await Promise.all([
      post("continue", { turnId }),
      post("continue", { turnId }),
    ]);
    expect(clicks[0]?.body).toEqual({ taskId: task?.id });
    await untilOver();
    expect(cli.seen).toEqual(["work"]);
    expect(await scripted.tasks(id)).toHaveLength(1);
  });

  test("a prompt that the user takes back leaves nothing to continue", async () => {
    const turnId = await cutOffAfter(() => undefined);
    const [task] = await scripted.tasks(id);
    await scripted.kernel.api.delete(`/api/agents/${id}/tasks/${task?.id}`);
    await untilOver();
    expect((await post("continue", { turnId })).status).toBe(409);
    expect(cli.seen).toEqual([]);
  });

  test("work on a prompt that it has is continued", async () => {
    const turnId = await cutOffAfter((known) => known.work());
    await post("continue", { turnId });
    await untilOver();
    expect(cli.seen).toEqual(["work", expect.stringMatching(GO_ON)]);
  });

  test.each([
    ["work", /^The Gantry daemon stopped while .* below\..*\n\nwork$/],
    ["/work", /^\/work$/],
  ])(
    "where nothing tells whether it has %s, that is sent with it",
    async (message, sent) => {
      const turnId = await cutOffAfter(() => undefined, {
        isReadable: false,
        message,
      });
      expect((await scripted.tasks(id))[0]?.status).toBe("failed");
      await post("continue", { turnId });
      await untilOver();
      expect(cli.seen).toEqual([expect.stringMatching(sent)]);
    },
  );

  test("a continuation that is taken back can be asked for again", async () => {
    const turnId = await cutOffAfter((known) => known.work());
    cli.isWilling = false;
    // The agent is running a prompt of another client.
    await post("managed/start", {});
    const { body } = await post("continue", { turnId });
    await until(() => cli.hasPrompt, "it is written");
    expect((await post("continue", { turnId })).body).toEqual(body);
    await post("abort", {});
    await scripted.untilAgent(
      id,
      (agent) => agent.cutOff?.continuedBy === null,
      "it is offered again",
    );
    cli.isWilling = true;
    const again = await post("continue", { turnId });
    expect(again).toMatchObject({ status: 200 });
    expect(again.body).not.toEqual(body);
    await untilOver();
  });
});

test("a fork leaves nothing to continue", async () => {
  const { id, cutOff: cut } = await cutOff("pi");
  const entries = await agents.entries(id);
  const work = entries.find(({ text }) => text.startsWith("work"));
  await agents.kernel.api.post(`/api/agents/${id}/fork`, { entryId: work?.id });
  expect((await agents.get(id)).cutOff).toBeNull();
  expect((await continueTurn(id, cut?.turnId)).status).toBe(409);
});
