import type { Clock } from "@gantry/plugin";
import { expect, test, vi } from "vitest";
import { QuestionChanged } from "../../src/tools/question.ts";
import type { Question } from "../../src/tools/question.ts";
import { createRealClock } from "../support/real-clock.ts";
import { createStandInBrowser } from "./stand-in-browser.ts";
import { agentId, GANTRY_PORT, startTools, textOf } from "./support.ts";
import type { ToolsBench } from "./support.ts";

async function startActing(
  options: { clock?: Clock } = { clock: createRealClock() },
) {
  const browser = createStandInBrowser();
  let tierOf: (() => unknown) | undefined;
  const seen: unknown[] = [];
  browser.answers.set("Page.navigate", () => {
    seen.push(tierOf?.());
    return {};
  });
  const bench = await startTools(
    {
      open: async (_id, rules) => {
        tierOf = () => [...rules().sites];
        return browser;
      },
    },
    options,
  );
  await bench.allow({ tier: "act", sites: ["shop.example"] });
  const { client } = await bench.connect();
  const navigate = async (to: string) => {
    const answer = await client.callTool(
      { name: "browser_navigate", arguments: { to } },
      undefined,
      { timeout: 60_000 },
    );
    return { isError: answer.isError === true, text: textOf(answer) };
  };
  return { bench, browser, client, navigate, seen };
}

async function openQuestion({ kernel }: ToolsBench): Promise<Question> {
  return await vi.waitFor(
    async () => {
      const { body } = await kernel.api.get<{ items: Question[] }>(
        "/api/browser/questions",
      );
      expect(body.items).toHaveLength(1);
      return body.items[0]!;
    },
    { timeout: 20_000 },
  );
}

const answerWith = (bench: ToolsBench, id: string, answer: string) =>
  bench.kernel.api.post(`/api/browser/questions/${id}`, { answer });

async function sitesOf({ kernel }: ToolsBench): Promise<string[]> {
  const { body } = await kernel.api.get<{ items: { sites: string[] }[] }>(
    "/api/browser/policies",
  );
  return body.items[0]!.sites;
}

test("a site that is not listed is asked for; once holds for this call alone", async () => {
  const { bench, navigate, seen } = await startActing();
  await using _ = bench;
  const call = navigate("https://news.example/today");
  const question = await openQuestion(bench);
  expect(question).toMatchObject({
    agentId,
    kind: "site",
    site: "news.example",
    tool: "browser_navigate",
    detail: "https://news.example/today",
  });
  await vi.waitFor(() => expect(bench.items.size).toBe(1));
  const [item] = bench.items.values();
  expect(item).toMatchObject({
    kind: "approval",
    title: "Ada wants to open news.example in the browser",
    blocking: true,
    agentId,
  });
  expect(await answerWith(bench, question.id, "once")).toMatchObject({
    status: 200,
  });
  expect(await call).toMatchObject({ isError: false });
  expect(seen).toEqual([["shop.example", "news.example"]]);
  await vi.waitFor(() => expect(bench.items.size).toBe(0));
  expect(await answerWith(bench, question.id, "always")).toMatchObject({
    status: 409,
    body: { code: "BROWSER_QUESTION_CLOSED" },
  });
  expect(
    bench.kernel.events.all(QuestionChanged).map(({ data }) => data.state),
  ).toEqual(["open", "once"]);

  const again = navigate("https://news.example/");
  await answerWith(bench, (await openQuestion(bench)).id, "always");
  expect(await again).toMatchObject({ isError: false });
  expect(await sitesOf(bench)).toEqual(["shop.example", "news.example"]);
  expect(await navigate("https://news.example/")).toMatchObject({
    isError: false,
  });
});

test("a refusal lasts for a while, and the user is not asked for what no policy could allow", async () => {
  const { bench, navigate } = await startActing();
  await using _ = bench;
  const call = navigate("http://localhost:4000/");
  await answerWith(bench, (await openQuestion(bench)).id, "no");
  expect((await call).text).toContain("The user refused this");
  expect((await navigate("http://localhost:4000/x")).text).toContain(
    "refused this already",
  );
  for (const url of [
    `http://localhost:${GANTRY_PORT}/`,
    "file:///etc/passwd",
    "http://169.254.169.254/latest",
    "https://user:secret@news.example/",
    "chrome://version",
  ]) {
    const { isError, text } = await navigate(url);
    expect(isError, url).toBe(true);
    expect(text, url).toMatch(/^Gantry: /);
  }
  expect(await sitesOf(bench)).toEqual(["shop.example"]);
});

test("a tool of a higher tier is asked for", async () => {
  const { bench, client, browser } = await startActing();
  await using _ = bench;
  browser.answers.set("Runtime.evaluate", () => ({ result: { value: 42 } }));
  const call = client.callTool({
    name: "browser_evaluate",
    arguments: { expression: "6*7" },
  });
  const question = await openQuestion(bench);
  expect(question).toMatchObject({ kind: "tier", tier: "full", site: null });
  await answerWith(bench, question.id, "once");
  expect(textOf(await call)).toContain("42");
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain("browser_evaluate");
});

test("one question at a time; a cancelled call withdraws its question", async () => {
  const { bench, client } = await startActing();
  await using _ = bench;
  const cancelling = new AbortController();
  const call = client.callTool(
    { name: "browser_evaluate", arguments: { expression: "1" } },
    undefined,
    { signal: cancelling.signal },
  );
  await openQuestion(bench);
  const other = await client.callTool({
    name: "browser_protocol",
    arguments: { method: "Page.reload" },
  });
  expect(textOf(other)).toContain("being asked about another call");
  cancelling.abort();
  await expect(call).rejects.toThrow();
  await vi.waitFor(async () => {
    const { body } = await bench.kernel.api.get("/api/browser/questions");
    expect(body).toEqual({ items: [] });
  });
});

test("without an answer the call ends after ten minutes", async () => {
  const { bench, navigate } = await startActing({});
  await using _ = bench;
  const call = navigate("https://news.example/");
  const question = await openQuestion(bench);
  expect(Date.parse(question.expiresAt) - Date.parse(question.createdAt)).toBe(
    600_000,
  );
  await bench.kernel.clock.advance(600_000);
  expect((await call).text).toContain("did not answer");
});

test("an agent that loses the browser has no question open", async () => {
  const { bench, navigate } = await startActing();
  await using _ = bench;
  const call = navigate("https://news.example/");
  await openQuestion(bench);
  await bench.allow({ tier: "none" });
  expect((await call).text).toContain("not allowed any more");
});

test("stopping the daemon removes the question from the Inbox", async () => {
  const { bench, client } = await startActing();
  await using _ = bench;
  const call = client.callTool({
    name: "browser_evaluate",
    arguments: { expression: "1" },
  });
  const ended = expect(call).rejects.toThrow();
  await openQuestion(bench);
  await vi.waitFor(() => expect(bench.items.size).toBe(1));
  await bench.kernel.restart();
  await ended;
  await vi.waitFor(() => expect(bench.items.size).toBe(0));
});
