import { AgentSlash, type SlashSource } from "@gantry/plugin-agents/contract";
import { provideFake } from "@gantry/plugin-testing";
import { expect, test, vi } from "vitest";
import { SnippetSent } from "../src/contract.ts";
import { startSnippets } from "./support/snippets.ts";
import {
  agentId,
  createTargets,
  targetErrors,
  toAgent,
} from "./support/targets.ts";

async function startWithAgent() {
  const targets = createTargets();
  const kernel = await startSnippets([targets.agents]);
  const { id } = await kernel.save({
    title: "Review",
    body: "Review {{what}} as {{agent}} in {{cwd}}{{note=}}",
    placeholders: [{ name: "what", enum: ["code", "text"] }],
  });
  return { targets, kernel, path: `/api/snips/${id}/run`, id };
}

test("a prompt is filled and sent to the agent, as its composer does", async () => {
  const { targets, kernel, path, id } = await startWithAgent();
  await using _ = kernel;
  const text = "Review code as Ada in /work/sample";
  expect(
    await kernel.api.post(path, { target: toAgent, values: { what: "code" } }),
  ).toMatchObject({
    status: 200,
    body: {
      needsConfirmation: false,
      target: { type: "agent", id: agentId, name: "Ada" },
      text,
      delivery: "sent",
      taskId: "tsk_1",
    },
  });
  expect(targets.prompts).toEqual([
    { agentId, message: text, kind: "prompt", images: [], source: "snippet" },
  ]);
  expect(kernel.events.all(SnippetSent)).toMatchObject([
    {
      subject: id,
      data: {
        slug: "review",
        kind: "prompt",
        title: "Review",
        target: { type: "agent", id: agentId },
      },
    },
  ]);
});

test("pictures go with it", async () => {
  const { targets, kernel, path } = await startWithAgent();
  await using _ = kernel;
  const images = [{ mimeType: "image/png", data: "a".repeat(2_000_000) }];
  expect(
    await kernel.api.post(path, {
      target: toAgent,
      values: { what: "code" },
      images,
    }),
  ).toMatchObject({ status: 200 });
  expect(targets.prompts).toMatchObject([{ images }]);
});

test("the same key sends once", async () => {
  const { targets, kernel, path } = await startWithAgent();
  await using _ = kernel;
  const send = () =>
    kernel.api.post(
      path,
      { target: toAgent, values: { what: "text" } },
      { "idempotency-key": "k1" },
    );
  const [first, second] = await Promise.all([send(), send()]);
  expect(first.status).toBe(200);
  expect(second.body).toEqual(first.body);
  expect(targets.prompts).toHaveLength(1);
});

const WRONG: readonly [input: object, status: number, code: string][] = [
  [{}, 400, "SNIPPET_VALUE_MISSING"],
  [{ values: { what: "" } }, 400, "SNIPPET_VALUE_MISSING"],
  [{ values: { what: "all" } }, 400, "SNIPPET_ENUM"],
  [{ values: { what: "code", who: "me" } }, 400, "SNIPPET_VALUE_UNKNOWN"],
  [{ values: { what: "code", agent: "Eve" } }, 400, "SNIPPET_VALUE_RESERVED"],
  [{ values: { what: "code" }, confirm: "x" }, 409, "SNIPPET_CONFIRMATION"],
  [{ values: { what: "code" }, images: [{}] }, 400, "INPUT_INVALID"],
  [{ values: { what: "code" }, context: {} }, 400, "INPUT_INVALID"],
  [
    { target: { type: "agent", id: `agt_${"b".repeat(24)}` } },
    404,
    "SNIPPET_TARGET_NOT_FOUND",
  ],
  [{ target: undefined }, 400, "INPUT_INVALID"],
];

test("what is wrong is refused with its code, and nothing is sent", async () => {
  const { targets, kernel, path } = await startWithAgent();
  await using _ = kernel;
  for (const [input, status, code] of WRONG)
    expect(
      await kernel.api.post(path, { target: toAgent, ...input }),
      JSON.stringify(input),
    ).toMatchObject({ status, body: { code } });
  expect(targets.prompts).toEqual([]);
  expect(kernel.events.all(SnippetSent)).toEqual([]);
});

test("a command does not go to an agent", async () => {
  const { targets, kernel } = await startWithAgent();
  await using _ = kernel;
  const { id } = await kernel.save({ kind: "command", body: "ls" });
  expect(
    await kernel.api.post(`/api/snips/${id}/run`, { target: toAgent }),
  ).toMatchObject({ status: 409, body: { code: "SNIPPET_KIND" } });
  expect(targets.prompts).toEqual([]);
});

test("what the target does not have is named, and nothing is sent", async () => {
  const { targets, kernel } = await startWithAgent();
  await using _ = kernel;
  const { id } = await kernel.save({ body: "Continue with {{branch}}" });
  expect(
    await kernel.api.post(`/api/snips/${id}/run`, { target: toAgent }),
  ).toMatchObject({
    status: 409,
    body: {
      code: "SNIPPET_CONTEXT_MISSING",
      detail: expect.stringMatching(/"Ada" has no branch/) as string,
    },
  });
  expect(targets.prompts).toEqual([]);
});

test("what the agents plugin refuses is told as it says it", async () => {
  const { targets, kernel, path } = await startWithAgent();
  await using _ = kernel;
  targets.refuse = targetErrors.AGENT_NOT_FOUND({ id: agentId });
  expect(
    await kernel.api.post(path, { target: toAgent, values: { what: "code" } }),
  ).toMatchObject({ status: 404, body: { code: "AGENT_NOT_FOUND" } });
  expect(kernel.events.all(SnippetSent)).toEqual([]);
});

test("without the plugins behind the targets it says what is missing, and comes back with them", async () => {
  const { targets, kernel, path } = await startWithAgent();
  await using _ = kernel;
  const send = (type: string, id: string) =>
    kernel.api.post(path, { target: { type, id }, values: { what: "code" } });
  expect(await send("terminal", "x")).toMatchObject({
    status: 503,
    body: {
      code: "SNIPPET_TERMINALS_MISSING",
      detail: expect.stringContaining("terminals.panes@1") as string,
    },
  });
  await kernel.kernel.plugins.stop(targets.agents.id);
  expect(await send("agent", agentId)).toMatchObject({
    status: 503,
    body: {
      code: "SNIPPET_AGENTS_MISSING",
      detail: expect.stringContaining("agents.messages@1") as string,
    },
  });
  await kernel.kernel.plugins.start();
  expect(await send("agent", agentId)).toMatchObject({ status: 200 });
});

test("prompts are offered after a slash as long as the library is there", async () => {
  const sources = new Set<SlashSource>();
  const slash = provideFake(AgentSlash, {
    async add(source, until) {
      sources.add(source);
      until.addEventListener("abort", () => sources.delete(source));
    },
  });
  await using kernel = await startSnippets([slash]);
  await kernel.save({ title: "Review", body: "Review it", description: "All" });
  await kernel.save({ title: "Clean up", body: "rm x", kind: "command" });
  await vi.waitFor(() => expect(sources.size).toBe(1));
  const [source] = sources;
  const { signal } = new AbortController();
  expect(await source?.list({ agentId }, signal)).toEqual({
    items: [{ name: "snip:review", description: "All", source: "snippet" }],
  });
  await kernel.stop();
  expect(sources.size).toBe(0);
});
