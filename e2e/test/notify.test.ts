import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** A chat that keeps what it is sent. */
async function startChat() {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += part;
    response.end("ok");
    bodies.push(body);
    server.emit("told");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    async told(count: number): Promise<string[]> {
      while (bodies.length < count) await once(server, "told");
      return bodies;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

test(
  "the built daemon tells a chat of a run, and of a test",
  { tags: "thorough" },
  async () => {
    await using folder = await createTemporaryFolder("notify");
    await using chat = await startChat();
    await using daemon = await startDaemon(join(folder.path, "home"));
    const api = await createApiClient(daemon);
    const tried = await api.call("POST", "/api/automations/notify/test", {
      url: chat.url,
    });
    expect(tried.body).toEqual({
      ...{ delivered: true, status: 200, answer: "ok", error: null },
    });
    const { body } = await api.call<{ automation: { id: string } }>(
      "POST",
      "/api/automations",
      {
        name: "Brief",
        cli: "practice",
        prompt: "[[reply:All is well.]][[cost:0.25]]",
        notifyUrl: chat.url,
      },
    );
    await api.call("POST", `/api/automations/${body.automation.id}/run`);
    const [, told = ""] = await chat.told(2);
    const { text } = JSON.parse(told) as { text: string };
    expect(text).toContain("Brief");
    expect(text).toContain("$0.25");
    expect(text).toContain("All is well.");
    expect(text).toContain(`${daemon.url}/automations/${body.automation.id}`);
  },
);
