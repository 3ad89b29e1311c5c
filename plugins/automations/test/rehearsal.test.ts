import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { access } from "node:fs/promises";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
// eslint-disable-next-line gantry/layers -- what is tried is both plugins together
import agents from "@gantry/plugin-agents";
import { definePlugin } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import type { TestKernel } from "@gantry/plugin-testing";
import plugin from "../src/index.ts";
import type { AutomationView } from "../src/wire/automation.ts";
import type { RunRecord } from "../src/wire/run.ts";
import { daily } from "./support/start.ts";

const WAIT = { interval: 10 };

/** A plugin that hands out what it is given. */
function createKeeper() {
  const contexts: PluginContext[] = [];
  const keeper = definePlugin({
    id: "keeper",
    api: 1,
    summary: "Copies the home",
    mounts: [],
    setup: (ctx) => void contexts.push(ctx),
  });
  return { keeper, contexts };
}

/** Stages the home as it is at this moment, as a copy of it would be. */
async function stageHome({ wholeHome }: PluginContext): Promise<string> {
  const { signal } = new AbortController();
  const stage = await wholeHome.stage();
  mkdirSync(join(stage, "store"));
  const image = await wholeHome.readStore(signal);
  for await (const { name, entries } of image.namespaces) {
    const lines: string[] = [];
    for await (const page of entries)
      for (const entry of page) lines.push(`${JSON.stringify(entry)}\n`);
    writeFileSync(join(stage, "store", `${name}.ndjson`), lines.join(""));
  }
  await image.close();
  cpSync(wholeHome.data, join(stage, "data"), {
    recursive: true,
    filter: (path) => !path.endsWith(".sock"),
  });
  return stage;
}

/** The runs of an automation, in the store of a copy. */
function runsIn(stage: string): RunRecord[] {
  using database = new DatabaseSync(join(stage, "store.sqlite"));
  const rows = database
    .prepare("SELECT value FROM entries WHERE key LIKE 'automations:run:%'")
    .all() as { value: string }[];
  return rows.map(
    ({ value }) => (JSON.parse(value) as { data: RunRecord }).data,
  );
}

async function startBoth(): Promise<
  AsyncDisposable & {
    kernel: TestKernel;
    folder: string;
    contexts: PluginContext[];
  }
> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "gantry-rehearsal-")));
  const { keeper, contexts } = createKeeper();
  const kernel = await startTestKernel([agents, plugin, keeper]);
  return {
    kernel,
    folder,
    contexts,
    async [Symbol.asyncDispose]() {
      await kernel.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

test("a start that is tried on a copy fires no run, starts no agent and sends no notification", async () => {
  await using stack = new AsyncDisposableStack();
  const told: string[] = [];
  const target = createServer((request, response) => {
    told.push(String(request.url));
    response.end();
  }).listen(0, "127.0.0.1");
  await once(target, "listening");
  stack.defer(() => void target.close());
  const { kernel, folder, contexts } = stack.use(await startBoth());
  const { api } = kernel;
  const [ctx] = contexts as [PluginContext];
  const isThere = (name: string) =>
    access(join(folder, name)).then(
      () => true,
      () => false,
    );

  const { port } = target.address() as AddressInfo;
  const create = async (input: object) => {
    const { body } = await api.post<{ automation: AutomationView }>(
      "/api/automations",
      {
        name: "Brief",
        cli: "practice",
        notifyUrl: `http://127.0.0.1:${port}/`,
        ...input,
      },
    );
    return `/api/automations/${body.automation.id}`;
  };
  const runs = async (path: string) =>
    (await api.get<{ items: RunRecord[] }>(`${path}/runs`)).body.items;
  // One that is due in the copy, and one that runs while it is made.
  const due = await create({
    prompt: `[[run:touch ${join(folder, "due")}]]`,
    schedules: [daily("13:00")],
  });
  const running = await create({
    prompt: `[[run:touch ${join(folder, "running")}; sleep 300]]`,
  });
  await api.post(`${running}/run`);
  await vi.waitFor(
    async () => expect(await isThere("running")).toBe(true),
    WAIT,
  );
  rmSync(join(folder, "running"));
  // An agent with a message that waits behind another one.
  const { body: agent } = await api.post<{ id: string }>("/api/agents", {
    name: "Helper",
    cli: "practice",
  });
  const send = async (message: string) =>
    (await api.post(`/api/agents/${agent.id}/prompt`, { message })).body;
  expect(await send("[[sleep:300000]]")).toMatchObject({ delivery: "sent" });
  expect(await send(`[[run:touch ${join(folder, "queued")}]]`)).toMatchObject({
    delivery: "queued",
  });
  const tasks = async () =>
    (
      await api.get<{ items: { status: string }[] }>(
        `/api/agents/${agent.id}/tasks`,
      )
    ).body.items;
  const statuses = async () => (await tasks()).map(({ status }) => status);
  // The first goes out once its agent has started.
  await vi.waitFor(
    async () => expect(await statuses()).toEqual(["queued", "delivered"]),
    WAIT,
  );
  const processes = async () =>
    (await ctx.daemon.programs()).map(({ pid }) => pid).sort();
  const before = await processes();
  expect(before.length).toBeGreaterThan(0);
  const tasksBefore = await tasks();

  const stage = await stageHome(ctx);
  const { signal } = new AbortController();
  const { plugins } = await ctx.wholeHome.rehearse(stage, signal);
  expect(plugins).toEqual(
    ["agents", "automations", "keeper"].map((id) => ({
      id,
      state: "active",
      reason: null,
    })),
  );
  // It was tried: what was running in the copy was found to be cut off there, and in the copy alone.
  expect(runsIn(stage)).toMatchObject([
    { result: "failed", reason: "daemon-restarted" },
  ]);
  expect(await runs(running)).toMatchObject([{ result: "running" }]);
  expect(await runs(due)).toEqual([]);
  expect(await tasks()).toEqual(tasksBefore);
  expect(await processes()).toEqual(before);
  for (const name of ["due", "running", "queued"])
    expect(await isThere(name)).toBe(false);
  expect(told).toEqual([]);
  const [, copied] = contexts as [PluginContext, PluginContext];
  await expect(copied.wholeHome.stage()).rejects.toThrow(/tries a start/);
});
