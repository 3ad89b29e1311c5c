import { expect, it } from "vitest";
import { askAnthropic, askOpenai, post, startModels, user } from "./client.ts";

it("repeats the prompt when there is no script", async () => {
  const models = await startModels();
  expect((await askOpenai(models, [user("just words")])).text).toBe(
    "ok: just words",
  );
  expect(models.requests[0]!.usage!.input).toBeGreaterThan(0);
});

it("fails for ever, or the first few times", async () => {
  const models = await startModels();
  const ask = async (prompt: string) =>
    (await askOpenai(models, [user(prompt)])).status;
  expect([await ask("[[error:400]]"), await ask("[[error:400]]")]).toEqual([
    400, 400,
  ]);
  const twice = "[[error:500:2:a bad: day]][[reply:fine]]";
  expect([await ask(twice), await ask(twice), await ask(twice)]).toEqual([
    500, 500, 200,
  ]);
  expect(models.requests.at(-1)).toMatchObject({
    text: "fine",
    outcome: "answered",
  });
});

it.each([
  ["/v1/chat/completions", 400, "invalid_request_error"],
  ["/v1/chat/completions", 429, "rate_limit_exceeded"],
  ["/v1/chat/completions", 503, "server_error"],
  ["/v1/messages", 400, "invalid_request_error"],
  ["/v1/messages", 529, "overloaded_error"],
  ["/v1/messages", 500, "api_error"],
])(
  "tells a client of %s by the type of a %i whether to try again",
  async (path, status, type) => {
    const models = await startModels();
    const response = await post(models, path, {
      messages: [user(`[[error:${status}::a bad: day]]`)],
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      error: { type, message: "a bad: day" },
    });
  },
);

it("says in each provider's way until when the usage limit is reached", async () => {
  const models = await startModels();
  const soon = Math.ceil(Date.now() / 1000) + 60;
  const ask = (path: string) =>
    post(models, path, { messages: [user("[[limit:60]]")] });
  const claude = await ask("/v1/messages");
  expect([
    claude.status,
    claude.headers.get("anthropic-ratelimit-unified-status"),
  ]).toEqual([429, "rejected"]);
  const reset = claude.headers.get("anthropic-ratelimit-unified-reset");
  expect(Number(reset)).toBeGreaterThanOrEqual(soon);
  const codex = await post(models, "/v1/responses", { input: "[[limit:60]]" });
  expect([codex.status, await codex.json()]).toMatchObject([
    429,
    { error: { type: "usage_limit_reached" } },
  ]);
  expect((await ask("/v1/chat/completions")).status).toBe(429);
});

it("waits at a gate until the test opens it, in the middle of an answer too", async () => {
  const models = await startModels();
  const asked = askOpenai(models, [
    user("[[reply:before ]][[gate:lunch]][[reply:after]]"),
  ]);
  const request = await models.waitFor(({ gate }) => gate === "lunch");
  expect(request).toMatchObject({ text: "before ", outcome: "pending" });
  models.openGate("lunch");
  expect((await asked).text).toBe("before after");
  expect(
    (await askOpenai(models, [user("[[gate:lunch]][[reply:open]]")])).text,
  ).toBe("open");
});

it.each(["[[hang]]", "[[long:100000:1]]", "[[gate:never]]"])(
  "notices in %s that the client left",
  async (script) => {
    const models = await startModels();
    const abort = new AbortController();
    const asked = post(
      models,
      "/v1/messages",
      { stream: true, messages: [user(script)] },
      { signal: abort.signal },
    )
      .then((response) => response.text())
      .catch(() => "gone");
    await models.waitFor(
      ({ text, gate }) =>
        script === "[[hang]]" || gate !== undefined || text.includes("w3"),
    );
    abort.abort();
    expect(await asked).toBe("gone");
    await models.waitFor(({ outcome }) => outcome === "client-gone");
  },
);

it("streams many words", async () => {
  const models = await startModels();
  const { text } = await askAnthropic(models, [user("[[long:5:0]]")]);
  expect(text).toBe("w1 w2 w3 w4 w5 ");
});

it("cuts the connection after what it said", async () => {
  const models = await startModels();
  const response = await post(models, "/v1/messages", {
    stream: true,
    messages: [user("[[reply:half]][[drop]]")],
  });
  await expect(response.text()).rejects.toThrow();
  expect(models.requests[0]).toMatchObject({
    text: "half",
    outcome: "dropped",
  });
});

it("lists what it was shown, to prove a resume", async () => {
  const models = await startModels();
  const messages = [
    user("one"),
    { role: "assistant", content: "a" },
    user("two [[recall]]"),
  ];
  expect((await askOpenai(models, messages)).text).toBe(
    'recall ["one","two [[recall]]"]',
  );
});

it("ends an answer early or refuses, if the script says so", async () => {
  const models = await startModels();
  const length = await askAnthropic(models, [
    user("[[reply:a]][[stop:length]]"),
  ]);
  expect(length.events.at(-2)).toMatchObject({
    delta: { stop_reason: "max_tokens" },
  });
  const refusal = await askAnthropic(models, [
    user("[[reply:a]][[stop:refusal]]"),
  ]);
  expect(refusal.events.at(-2)).toMatchObject({
    delta: { stop_reason: "refusal" },
  });
});

it("keeps the usage of the step before, until another is given", async () => {
  const models = await startModels();
  const prompt =
    "[[usage:1:2]][[tool:bash:a]][[tool:bash:b]][[usage:3:4]][[reply:c]]";
  const call = {
    role: "assistant",
    tool_calls: [{ function: { name: "bash" } }],
  };
  await askOpenai(models, [user(prompt)]);
  await askOpenai(models, [user(prompt), call]);
  await askOpenai(models, [user(prompt), call, call]);
  expect(models.requests.map(({ usage }) => usage!.input)).toEqual([1, 1, 3]);
  expect(
    models.requests.map(({ calls, text }) => text || calls[0]!.arguments),
  ).toEqual([{ command: "a" }, { command: "b" }, "c"]);
});

it("does not run the script again for a CLI's own request", async () => {
  const models = await startModels();
  const messages = [
    { role: "system", content: "You write a short title." },
    user("fix it [[error:500]]"),
  ];
  const { text } = await askOpenai(models, messages, { tools: [] });
  expect(text).toBe("Side answer (fix it)");
  expect(models.requests[0]).toMatchObject({
    side: true,
    prompt: "fix it [[error:500]]",
  });
});

it("says what is wrong with a script", async () => {
  const models = await startModels();
  const response = await post(models, "/v1/messages", {
    messages: [user("[[toolj:read:{oops}]]")],
  });
  expect(response.status).toBe(400);
  expect(await response.text()).toMatch(/model server:.*JSON/);
});
