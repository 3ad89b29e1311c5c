import type { Clock } from "@gantry/plugin";
import { expect, test } from "vitest";
import type { Question } from "../../src/contract.ts";
import { QuestionChanged } from "../../src/tools/question.ts";
import { createRealClock } from "../support/real-clock.ts";
import { textOf } from "./support/mcp-client.ts";
import { createStandInBrowser } from "./support/stand-in-browser.ts";
import { GANTRY_PORT, startTools } from "./support/start-tools.ts";
import type { ToolsBench } from "./support/start-tools.ts";

/** An agent that may use `shop.example`. `allowed` are its sites at each navigation. */
async function startActing(
  options: { clock?: Clock } = { clock: createRealClock() },
) {
  const browser = createStandInBrowser();
  const allowed: (readonly string[])[] = [];
  let sites: () => readonly string[] = () => [];
  browser.answers.set("Page.navigate", () => {
    allowed.push(sites());
    return {};
  });
  const bench = await startTools((rules) => {
    sites = () => rules().sites;
    return browser;
  }, options);
  await bench.allow({ tier: "act", sites: ["shop.example"] });
  const { client, end } = await bench.connect();
  const navigate = async (to: string) => {
    const answer = await client.call("browser_navigate", { to });
    return { isError: answer.isError === true, text: textOf(answer) };
  };
  return {
    bench,
    browser,
    client,
    end,
    navigate,
    allowed,
    sites: () => sites(),
  };
}

const listed = async ({ kernel }: ToolsBench) =>
  (await kernel.api.get<{ items: Question[] }>("/api/browser/questions")).body
    .items;

async function openQuestion(bench: ToolsBench): Promise<Question> {
  await expect.poll(() => listed(bench)).toHaveLength(1);
  const [question] = await listed(bench);
  return question!;
}

const answerWith = (bench: ToolsBench, id: string, answer: string) =>
  bench.kernel.api.post(`/api/browser/questions/${id}`, { answer });

async function policySites({ kernel }: ToolsBench): Promise<string[]> {
  const { body } = await kernel.api.get<{ items: { sites: string[] }[] }>(
    "/api/browser/policies",
  );
  return body.items[0]!.sites;
}

test("a site that is not listed is asked for; once holds until another address is opened", async () => {
  const { bench, navigate, allowed, sites } = await startActing();
  await using _ = bench;
  const call = navigate("https://news.example/today");
  const question = await openQuestion(bench);
  expect(question).toMatchObject({
    ...{ agentId: bench.agentId, kind: "site", site: "news.example" },
    ...{ tool: "browser_navigate", detail: "https://news.example/today" },
  });
  await expect.poll(() => bench.items.size).toBe(1);
  const [item] = bench.items.values();
  expect(item).toMatchObject({
    kind: "approval",
    title: "Ada wants to open news.example in the browser",
    blocking: true,
    agentId: bench.agentId,
  });
  expect((await answerWith(bench, question.id, "once")).status).toBe(200);
  expect(await call).toMatchObject({ isError: false });
  expect(sites()).toEqual(["shop.example", "news.example"]);
  await expect.poll(() => bench.items.size).toBe(0);
  expect(await answerWith(bench, question.id, "always")).toMatchObject({
    ...{ status: 409, body: { code: "BROWSER_QUESTION_CLOSED" } },
  });
  expect(
    bench.kernel.events.all(QuestionChanged).map(({ data }) => data.state),
  ).toEqual(["open", "once"]);
  expect((await navigate("https://shop.example/")).isError).toBe(false);
  expect(sites()).toEqual(["shop.example"]);

  const again = navigate("https://news.example/");
  await answerWith(bench, (await openQuestion(bench)).id, "always");
  expect((await again).isError).toBe(false);
  expect(await policySites(bench)).toEqual(["shop.example", "news.example"]);
  expect((await navigate("https://news.example/")).isError).toBe(false);
  expect(allowed).toHaveLength(4);
});

test(
  "what was allowed once ends with the session",
  { tags: "thorough" },
  async () => {
    const { bench, client, end, navigate, sites } = await startActing();
    await using _ = bench;
    const call = navigate("https://news.example/");
    await answerWith(bench, (await openQuestion(bench)).id, "once");
    await call;
    expect(sites()).toContain("news.example");
    end();
    await client.closed;
    await expect.poll(sites).toEqual(["shop.example"]);
  },
);

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
  expect(await policySites(bench)).toEqual(["shop.example"]);
});

test("its own servers are opened without a question, as long as they run", async () => {
  const { bench, navigate } = await startActing();
  await using _ = bench;
  await bench.allow({ tier: "act", ownServers: true });
  bench.ownPorts.push(5173, GANTRY_PORT);
  expect(await navigate("localhost:5173")).toMatchObject({ isError: false });
  expect((await navigate(`localhost:${GANTRY_PORT}`)).text).toMatch(
    /^Gantry: this is Gantry itself/,
  );
  bench.ownPorts.length = 0;
  const call = navigate("localhost:5173");
  const { id, site } = await openQuestion(bench);
  expect(site).toBe("localhost:5173");
  await answerWith(bench, id, "always");
  expect((await call).isError).toBe(false);
  const { body } = await bench.kernel.api.get("/api/browser/policies");
  expect(body).toMatchObject({
    items: [{ ownServers: true, sites: ["localhost:5173"] }],
  });
});

test(
  "a tool of a higher tier is asked for; once holds for one call",
  { tags: "thorough" },
  async () => {
    const { bench, client, browser } = await startActing();
    await using _ = bench;
    browser.answers.set("Runtime.evaluate", () => ({ result: { value: 42 } }));
    const call = client.call("browser_evaluate", { expression: "6*7" });
    const question = await openQuestion(bench);
    expect(question).toMatchObject({ kind: "tier", tier: "full", site: null });
    await answerWith(bench, question.id, "once");
    expect(textOf(await call)).toContain("42");
    expect(await client.tools()).not.toContain("browser_evaluate");
  },
);

test("what a narrower policy takes away is asked for again at the next call of a session that still has the tools", async () => {
  const { bench, client, browser, navigate } = await startActing();
  await using _ = bench;
  const evaluate = () => client.call("browser_evaluate", { expression: "1" });
  const scripts = () =>
    browser.calls.filter(({ method }) => method === "Runtime.evaluate").length;
  browser.answers.set("Runtime.evaluate", () => ({ result: { value: 1 } }));
  await bench.allow({ tier: "full", sites: ["shop.example"] });
  expect((await evaluate()).isError).toBeUndefined();
  expect((await navigate("https://shop.example/")).isError).toBe(false);
  const before = scripts();
  await bench.allow({ tier: "act", sites: [] });
  const refuse = async (kind: string, call: Promise<string>) => {
    const question = await openQuestion(bench);
    expect(question.kind).toBe(kind);
    await answerWith(bench, question.id, "no");
    expect(await call).toContain("The user refused this");
  };
  await refuse("tier", evaluate().then(textOf));
  const again = navigate("https://shop.example/");
  await refuse(
    "site",
    again.then(({ text }) => text),
  );
  expect(scripts()).toBe(before);
});

test(
  "one question at a time; a cancelled call withdraws its question",
  { tags: "thorough" },
  async () => {
    const { bench, client } = await startActing();
    await using _ = bench;
    const cancelling = new AbortController();
    const input = { expression: "1" };
    void client.call("browser_evaluate", input, cancelling.signal);
    await openQuestion(bench);
    const other = await client.call("browser_protocol", {
      method: "Page.reload",
    });
    expect(textOf(other)).toContain("being asked about another call");
    cancelling.abort();
    await expect.poll(() => listed(bench)).toEqual([]);
  },
);

test(
  "without an answer the call ends after ten minutes",
  { tags: "thorough" },
  async () => {
    const { bench, navigate } = await startActing({});
    await using _ = bench;
    const call = navigate("https://news.example/");
    const { expiresAt, createdAt } = await openQuestion(bench);
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(600_000);
    await bench.kernel.clock.advance(600_000);
    expect((await call).text).toContain("did not answer");
  },
);

test("an agent that loses the browser, or is deleted, has no question open", async () => {
  const { bench, navigate } = await startActing();
  await using _ = bench;
  const call = navigate("https://news.example/");
  await openQuestion(bench);
  await bench.allow({ tier: "none" });
  expect((await call).text).toContain("not allowed any more");
  await bench.allow({ tier: "act" });
  const other = navigate("https://other.example/");
  await openQuestion(bench);
  await bench.deleteAgent();
  expect((await other).text).toContain("not allowed any more");
});

test(
  "stopping the daemon removes the question from the Inbox",
  { tags: "thorough" },
  async () => {
    const { bench, client } = await startActing();
    await using _ = bench;
    void client.call("browser_evaluate", { expression: "1" });
    await openQuestion(bench);
    await expect.poll(() => bench.items.size).toBe(1);
    await bench.kernel.restart();
    await client.closed;
    await expect.poll(() => bench.items.size).toBe(0);
  },
);
