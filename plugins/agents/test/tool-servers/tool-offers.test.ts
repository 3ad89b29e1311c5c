import { definePlugin, type PluginDefinition } from "@gantry/plugin";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { AgentTools, type ToolServer } from "../../src/contract.ts";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { TameDriver } from "../help/tame-driver.ts";
import { ToolPlugin } from "../help/tool-plugin.ts";
import { until } from "../help/wait.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-tools-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A kernel with a driver that takes tools, beside plugins that offer some. */
async function start(
  offers: readonly PluginDefinition[],
  tame = new TameDriver({ tools: true }),
) {
  const agents = await AgentsKernel.start({
    clis: tame.clis,
    beside: [tame.plugin, ...offers],
  });
  onTestFinished(() => agents.kernel.stop());
  const { id } = await agents.create({ cli: "tame" });
  const open = async () => {
    await agents.ask(id, "hello");
    return tame.opened.at(-1)!;
  };
  return { agents, tame, id, open };
}

test("each session is admitted separately, and its key is revoked when it ends", async () => {
  const offer = new ToolPlugin(folder);
  const { agents, id, open } = await start([offer.plugin]);
  const { tools, extraPrompt } = await open();
  expect(tools).toEqual([offer.server("key-0-of-bench-tools")]);
  expect(extraPrompt).toBeNull();
  const [first] = offer.admitted;
  expect(first).toMatchObject({ agentId: id, signal: { aborted: false } });
  await agents.close(id);
  expect(first?.signal.aborted).toBe(true);
  await open();
  const [, second] = offer.admitted;
  expect(second?.sessionId).not.toBe(first?.sessionId);
  expect(second?.signal.aborted).toBe(false);
  await agents.kernel.api.delete(`/api/agents/${id}`);
  expect(second?.signal.aborted).toBe(true);
});

test(
  "an agent of a CLI that takes no tools is not asked about",
  { tags: "thorough" },
  async () => {
    const offer = new ToolPlugin(folder);
    const { open } = await start([offer.plugin], new TameDriver());
    expect((await open()).tools).toEqual([]);
    expect(offer.admitted).toEqual([]);
  },
);

test(
  "two plugins offer tools, and a plugin that stops removes its own",
  { tags: "thorough" },
  async () => {
    const first = new ToolPlugin(folder, "first-tools", "a");
    const second = new ToolPlugin(folder, "second-tools", "b");
    const { agents, id, open } = await start([first.plugin, second.plugin]);
    const names = ({ tools }: { tools: readonly ToolServer[] }) =>
      tools.map(({ name }) => name);
    expect(names(await open()).sort()).toEqual(["first-tools", "second-tools"]);
    await agents.kernel.kernel.plugins.stop("first-tools");
    expect(first.admitted[0]?.signal.aborted).toBe(true);
    expect(second.admitted[0]?.signal.aborted).toBe(false);
    await agents.close(id);
    expect(names(await open())).toEqual(["second-tools"]);
  },
);

test.for<[string, (offer: ToolPlugin) => ToolPlugin["answer"], RegExp]>([
  ["rejects", () => () => Promise.reject(new Error("no key")), /no key/],
  [
    "gives another name",
    (offer) => async () => ({ ...offer.server("k"), name: "other" }),
    /named other/,
  ],
  [
    "gives a relative command",
    (offer) => async () => ({ ...offer.server("k"), command: "node" }),
    /absolute/,
  ],
  ["gives no server at all", () => async () => ({}) as ToolServer, /not valid/],
  [
    "wants a variable that another one has",
    (offer) => async () => ({ ...offer.server("k"), env: { TOOL_KEY_B: "x" } }),
    /TOOL_KEY_B/,
  ],
])(
  "an offer that %s is left out",
  { tags: "thorough" },
  async ([, answerOf, reason]) => {
    const good = new ToolPlugin(folder, "a-good", "b");
    const bad = new ToolPlugin(folder, "b-bad", "a");
    let signal: AbortSignal | undefined;
    bad.answer = (input, until) => {
      signal = until;
      return answerOf(bad)!(input, until);
    };
    const { agents, open } = await start([good.plugin, bad.plugin]);
    expect((await open()).tools).toEqual([good.server("key-0-of-a-good")]);
    expect(signal?.aborted).toBe(true);
    expect(JSON.stringify(agents.kernel.log)).toMatch(reason);
  },
);

test(
  "an offer may have nothing for an agent",
  { tags: "thorough" },
  async () => {
    const offer = new ToolPlugin(folder);
    offer.answer = async () => null;
    const { open } = await start([offer.plugin]);
    expect((await open()).tools).toEqual([]);
  },
);

test(
  "an offer that does not answer is left out after 5 s, and its late answer is ignored",
  { tags: "thorough" },
  async () => {
    const offer = new ToolPlugin(folder);
    let answer: ((server: ToolServer) => void) | undefined;
    let signal: AbortSignal | undefined;
    offer.answer = (_input, until) => {
      signal = until;
      return new Promise((resolve) => (answer = resolve));
    };
    const tame = new TameDriver({ tools: true });
    await using agents = await AgentsKernel.start({
      clis: tame.clis,
      beside: [tame.plugin, offer.plugin],
      fakeTime: true,
    });
    const { id } = await agents.create({ cli: "tame" });
    const prompted = agents.prompt(id, "hello");
    await until(() => answer, "the offer was asked");
    await agents.kernel.clock.advance(5000);
    const opened = await until(() => tame.opened[0], "the session was opened");
    expect(opened.tools).toEqual([]);
    expect(signal?.aborted).toBe(true);
    answer?.(offer.server("late"));
    await prompted;
  },
);

test(
  "a name is taken once, and has to be one",
  { tags: "thorough" },
  async () => {
    const offer = new ToolPlugin(folder);
    const refusals: unknown[] = [];
    const rival = definePlugin({
      id: "rival",
      api: 1,
      summary: "Offers tools under names of all kinds",
      mounts: [],
      needs: { tools: AgentTools },
      async setup({ needs, signal }) {
        for (const name of ["bench-tools", "Bench Tools", "x".repeat(33)])
          await needs.tools
            .offer({ ...offer.offer, name }, signal)
            .catch((error: unknown) => refusals.push(error));
      },
    });
    await start([offer.plugin, rival]);
    expect(refusals).toMatchObject([
      { code: "AGENT_TOOLS_TAKEN", status: 409 },
      { code: "AGENT_TOOLS_INVALID", status: 400 },
      { code: "AGENT_TOOLS_INVALID", status: 400 },
    ]);
  },
);

test("an agent that is renewed is opened again with its current tools", async () => {
  const offer = new ToolPlugin(folder);
  offer.answer = async () => null;
  const { agents, id, open, tame } = await start([offer.plugin]);
  await open();
  offer.answer = undefined;
  await offer.renew(id);
  await agents.untilAgent(id, ({ state }) => state === "closed", "it closed");
  const { tools, resume } = await open();
  expect(tools.map(({ name }) => name)).toEqual(["bench-tools"]);
  expect(resume?.sessionId).toBe(`tame-${id}`);
  expect(tame.opened).toHaveLength(2);
});
