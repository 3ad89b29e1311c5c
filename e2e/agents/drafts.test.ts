import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import { createPiUser, realPi } from "../support/pi-user.ts";
import type { PiUser } from "../support/pi-user.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

interface Draft {
  id: string;
  state: string;
  isSecondTry: boolean;
  costUsd: number | null;
  automation: object | null;
  dropped: { path: string }[];
  problem: { reason: string; errors: { message: string }[] } | null;
}

const WISH =
  "Every weekday at half past eight, list the branches without an owner.";

/** What a model would make of the wish, and one thing too many. */
const ANSWER = JSON.stringify({
  name: "Open branches",
  prompt: "List the open branches with their age.",
  workspace: null,
  schedules: [{ cron: "30 8 * * 1-5", timeZone: "Europe/Berlin", label: null }],
  webhook: false,
  notifyUrl: null,
  maxCostUsd: 5,
});

describe.skipIf(realPi === undefined)("drafts of pi", () => {
  let stack: AsyncDisposableStack;
  let user: PiUser;
  let api: ApiClient;
  let work: string;

  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const folder = stack.use(await createTemporaryFolder("pi-drafts"));
    work = join(folder.path, "work");
    await mkdir(work);
    user = stack.use(await createPiUser(folder.path));
    api = await createApiClient(
      stack.use(
        await startDaemon(join(folder.path, "home"), { env: user.environment }),
      ),
    );
  });
  afterAll(() => stack.disposeAsync());

  async function draft(description: string): Promise<Draft> {
    const { status, body } = await api.call<Draft>(
      "POST",
      "/api/automations/drafts",
      { description, cli: "pi", timeZone: "Europe/Berlin" },
    );
    expect(status).toBe(200);
    const read = async () =>
      (await api.call<Draft>("GET", `/api/automations/drafts/${body.id}`)).body;
    await expect
      .poll(async () => (await read()).state, { timeout: 30_000 })
      .not.toBe("working");
    return read();
  }

  async function countOf(path: string): Promise<number> {
    const { body } = await api.call<{ items: unknown[] }>("GET", path);
    return body.items.length;
  }

  test("a wish becomes the fields of an automation; nothing is saved, and the agent is gone", async () => {
    const done = await draft(`${WISH}\n[[reply:${ANSWER}]]`);
    expect(done).toMatchObject({
      state: "done",
      isSecondTry: false,
      problem: null,
      automation: {
        name: "Open branches",
        schedules: [
          {
            frequency: "weekdays",
            time: "08:30",
            timeZone: "Europe/Berlin",
          },
        ],
      },
    });
    expect(done.dropped.map(({ path }) => path)).toEqual(["maxCostUsd"]);
    expect(done.costUsd).toBeGreaterThan(0);
    expect(await countOf("/api/automations")).toBe(0);
    expect(await countOf("/api/agents")).toBe(0);
  });

  test("a model that would rather do the work has nothing to do it with", async () => {
    const path = join(work, "written.txt");
    const write = JSON.stringify({ path, content: "x" });
    const done = await draft(
      `${WISH}\n[[toolj:write:${write}]][[tool:bash:touch ${path}]][[reply:${ANSWER}]]`,
    );
    expect(done).toMatchObject({ state: "done", problem: null });
    expect(await readdir(work)).toEqual([]);
    const { tools } = user.models.requests.findLast(({ prompt }) =>
      prompt.includes(WISH),
    )!;
    expect(tools).not.toContain("write");
    expect(tools).not.toContain("edit");
  });

  test("an answer that is none is asked for once more, and then said to be none", async () => {
    const before = user.models.requests.length;
    const failed = await draft(`${WISH}\n[[reply:I would rather not.]]`);
    expect(failed).toMatchObject({
      state: "failed",
      isSecondTry: true,
      automation: null,
      problem: { reason: "answer" },
    });
    const prompts = user.models.requests
      .slice(before)
      .map(({ prompt }) => prompt)
      .filter((prompt) => prompt.includes(WISH));
    expect(prompts).toHaveLength(2);
    expect(prompts[1]).toContain("You answered this before:");
    expect(await countOf("/api/agents")).toBe(0);
  });
});
