import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createApiClient, type ApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

interface Run {
  id: string;
  result: string;
  reason: string | null;
  agentId: string;
  costUsd: number | null;
  message: string;
}

interface Agent {
  id: string;
  name: string;
  state: string;
  mode: string | null;
}

/** What plans jobs on a host, standing in for the real ones: each writes down that it was called. */
async function putSchedulers(folder: string, planned: string): Promise<void> {
  await mkdir(folder);
  for (const name of ["crontab", "at", "batch", "systemctl", "systemd-run"])
    await writeFile(
      join(folder, name),
      `#!/bin/sh\necho "$0" >> ${planned}\n`,
      {
        mode: 0o755,
      },
    );
}

describe("an automation of the built daemon", () => {
  let stack: AsyncDisposableStack;
  let api: ApiClient;
  let searchPath: string;
  /** Written by whatever plans a job on the host. */
  let planned: string;

  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const folder = stack.use(await createTemporaryFolder("automations"));
    const programs = join(folder.path, "bin");
    searchPath = [programs, process.env["PATH"]].join(delimiter);
    planned = join(folder.path, "planned");
    await putSchedulers(programs, planned);
    const daemon = stack.use(
      await startDaemon(join(folder.path, "home"), {
        env: { PATH: searchPath },
      }),
    );
    api = await createApiClient(daemon);
  });
  afterAll(() => stack.disposeAsync());

  const post = async <Body = Record<string, unknown>>(
    path: string,
    body: object = {},
  ) => (await api.call<Body>("POST", path, body)).body;
  const get = async <Body>(path: string) =>
    (await api.call<Body>("GET", path)).body;

  async function create(input: object): Promise<string> {
    const { automation } = await post<{ automation: { id: string } }>(
      "/api/automations",
      { name: "Nightly", cli: "practice", ...input },
    );
    return automation.id;
  }

  /** Runs it, and gives the run when it has ended. */
  async function run(id: string): Promise<Run> {
    const begun = await post<{ run: Run }>(`/api/automations/${id}/run`);
    return vi.waitFor(async () => {
      const { items } = await get<{ items: Run[] }>(
        `/api/automations/${id}/runs`,
      );
      const found = items.find((one) => one.id === begun.run.id)!;
      expect(found.result).not.toBe("running");
      return found;
    });
  }

  test("runs as an ordinary agent: among the others, its cost counted, its answer in the Inbox", async () => {
    const id = await create({
      prompt: "[[reply:All is well.]][[cost:0.25]]",
    });
    const { result, agentId, costUsd } = await run(id);
    expect({ result, costUsd }).toEqual({ result: "done", costUsd: 0.25 });
    const { items: agents } = await get<{ items: object[] }>("/api/agents");
    expect(agents).toContainEqual(
      expect.objectContaining({
        ...{ id: agentId, name: "Nightly", automationId: id },
        usage: expect.objectContaining({ costUsd: 0.25 }),
      }),
    );
    const { items: spent } = await get<{ items: object[] }>(
      "/api/usage?by=automation",
    );
    expect(spent).toContainEqual(
      expect.objectContaining({
        key: id,
        usage: expect.objectContaining({ costUsd: 0.25 }),
      }),
    );
    await vi.waitFor(async () => {
      const { items } = await get<{ items: object[] }>(
        "/api/inbox?kind=result",
      );
      expect(items).toMatchObject([
        { body: "All is well.", source: { type: "automation", id } },
      ]);
    });
  });

  test("that is refused a permission says in the Inbox for what it asked", async () => {
    const id = await create({ prompt: "[[ask:Delete all?]][[reply:deleted]]" });
    expect(await run(id)).toMatchObject({
      result: "failed",
      reason: "permission-needed",
    });
    await vi.waitFor(async () => {
      const { items } = await get<{ items: object[] }>(
        "/api/inbox?kind=notice",
      );
      expect(items).toMatchObject([
        {
          title: "Nightly: needed a permission",
          body: expect.stringContaining("Delete all?") as string,
          source: { type: "automation", id },
        },
      ]);
    });
  });

  test("keeps its agent out of a terminal while a run is on it", async () => {
    const id = await create({ prompt: "[[sleep:60000]]" });
    const begun = await post<{ run: Run }>(`/api/automations/${id}/run`);
    const opened = await api.call(
      "POST",
      `/api/agents/${begun.run.agentId}/open`,
    );
    expect(opened.status).toBe(409);
    expect(await post(`/api/automations/${id}/stop`)).toEqual({
      stopped: true,
    });
  });

  test("is no job of the host's own schedulers", async () => {
    const daily = { frequency: "daily", time: "09:00", timeZone: "UTC" };
    const id = await create({ prompt: "[[reply:x]]", schedules: [daily] });
    const path = `/api/automations/${id}`;
    const schedules = [{ ...daily, time: "10:00" }];
    expect((await api.call("PATCH", path, { schedules })).status).toBe(200);
    expect((await api.call("DELETE", path)).status).toBe(200);
    expect(existsSync(planned)).toBe(false);
    // It would have been noticed.
    spawnSync("crontab", { env: { PATH: searchPath } });
    expect(existsSync(planned)).toBe(true);
  });

  test("messages an agent that is closed, open in the daemon, or open in a terminal", async () => {
    const agent = await post<Agent>("/api/agents", {
      name: "Ada",
      cli: "practice",
    });
    const look = async () => {
      const { state, mode } = await get<Agent>(`/api/agents/${agent.id}`);
      return { state, mode };
    };
    const id = await create({
      mode: "message",
      targetAgentId: agent.id,
      prompt: "[[reply:brief]]",
    });
    const closed = { state: "closed", mode: null };

    expect(await run(id)).toMatchObject({ result: "done", message: "brief" });
    await vi.waitFor(async () => expect(await look()).toEqual(closed));
    const recalled = await post<{ answer: string }>(
      `/api/agents/${agent.id}/ask`,
      { text: "[[recall]]" },
    );
    expect(recalled.answer).toContain("brief");

    await post(`/api/agents/${agent.id}/managed/start`);
    expect(await run(id)).toMatchObject({ result: "done", message: "brief" });
    expect(await look()).toEqual({ state: "open", mode: "managed" });

    await post(`/api/agents/${agent.id}/open`);
    expect(await run(id)).toMatchObject({
      result: "skipped",
      reason: "agent-in-terminal",
    });
    expect(await look()).toEqual({ state: "open", mode: "terminal" });
  });
});
