import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createApiClient, type ApiClient } from "../support/api-client.ts";
import { startDaemon, type Daemon } from "../support/daemon.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

interface Agent {
  id: string;
  state: string;
  mode: string | null;
  terminalId: string | null;
}

describe("an agent that is open in a terminal", () => {
  let stack: AsyncDisposableStack;
  let home: string;
  let daemon: Daemon;
  let api: ApiClient;

  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const folder = stack.use(await createTemporaryFolder("agent-in-terminal"));
    home = join(folder.path, "home");
    await start();
  });
  afterAll(async () => {
    await daemon[Symbol.asyncDispose]();
    await stack.disposeAsync();
  });

  async function start(): Promise<void> {
    daemon = await startDaemon(home);
    api = await createApiClient(daemon);
  }
  const post = async <Body = Record<string, unknown>>(
    path: string,
    body: object = {},
  ) => (await api.call<Body>("POST", path, body)).body;
  const get = async <Body>(path: string) =>
    (await api.call<Body>("GET", path)).body;

  test("outlives the daemon, takes messages, and continues where it was", async () => {
    const { id } = await post<Agent>("/api/agents", { name: "Ada" });
    await post(`/api/agents/${id}/ask`, { text: "[[reply:first]]" });
    const { terminalId } = await post<Agent>(`/api/agents/${id}/open`);
    const pidOf = async () =>
      (await get<{ pid: number }>(`/api/terminals/${terminalId}`)).pid;
    const pid = await pidOf();

    await daemon.kill();
    await start();
    await vi.waitFor(async () =>
      expect(await get<Agent>(`/api/agents/${id}`)).toMatchObject({
        state: "open",
        mode: "terminal",
        terminalId,
      }),
    );
    expect(await pidOf()).toBe(pid);

    await post(`/api/agents/${id}/prompt`, { message: "[[reply:second]]" });
    await vi.waitFor(async () => {
      const { items } = await get<{ items: { status: string }[] }>(
        `/api/agents/${id}/tasks`,
      );
      expect(items.map(({ status }) => status)).toEqual([
        "delivered",
        "delivered",
      ]);
    });

    await post(`/api/agents/${id}/close`);
    expect(await get<{ items: unknown[] }>("/api/terminals")).toMatchObject({
      items: [],
    });
    const { answer } = await post<{ answer: string }>(`/api/agents/${id}/ask`, {
      text: "[[recall]]",
    });
    expect(answer).toMatch(/first.*second/);
  });
});
