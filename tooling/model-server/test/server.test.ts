import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { startModelServer } from "../src/index.ts";
import { askOpenai, post, startModels, user } from "./client.ts";

it("takes any key and any model, and notes both", async () => {
  const models = await startModels();
  await askOpenai(models, [user("[[reply:a]]")], { model: "no-such-model" });
  await post(
    models,
    "/messages",
    { model: "m", messages: [user("b")] },
    { headers: { "x-api-key": "other" } },
  );
  expect(models.requests).toMatchObject([
    {
      key: "any-key",
      model: "no-such-model",
      wire: "openai-chat",
      tools: ["bash"],
      stream: true,
    },
    {
      key: "other",
      model: "m",
      wire: "anthropic-messages",
      tools: [],
      stream: false,
    },
  ]);
});

it("lists models, and answers 404 to what it does not speak", async () => {
  const models = await startModels();
  const list = (await (await fetch(`${models.url}/v1/models`)).json()) as {
    data: unknown[];
  };
  expect(list.data).toHaveLength(2);
  expect((await fetch(models.url, { method: "HEAD" })).status).toBe(200);
  expect((await post(models, "/v1/embeddings", {})).status).toBe(404);
});

it("listens on loopback only", async () => {
  const models = await startModels();
  expect(models.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

it("rejects when no request fits in time", async () => {
  const models = await startModels();
  await expect(models.waitFor(() => false, 20)).rejects.toThrow(/timeout/);
});

it("ends with requests open", async () => {
  const models = await startModelServer();
  const asked = askOpenai(models, [user("[[hang]]")]).catch(() => "gone");
  await models.waitFor(() => true);
  await models.close();
  expect(await asked).toBe("gone");
});

it("runs by itself, with gates that a line opens", async () => {
  const main = new URL("../src/main.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [main], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[
    Symbol.asyncIterator
  ]();
  const [url = ""] = /http:\S+/.exec(String((await lines.next()).value)) ?? [];
  const asked = fetch(`${url}/v1/messages`, {
    method: "POST",
    body: JSON.stringify({
      messages: [user("[[gate:go]][[reply:gone through]]")],
    }),
  });
  child.stdin.write("go\n");
  expect(await (await asked).text()).toContain("gone through");
  expect(JSON.parse(String((await lines.next()).value))).toMatchObject({
    text: "gone through",
    outcome: "answered",
  });
  child.stdin.end();
  expect(await once(child, "exit")).toEqual([0, null]);
});
