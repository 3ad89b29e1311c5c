import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { cases } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import { findMarkedProcesses } from "../support/marked-processes.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

interface Item {
  kind: string;
  state: string;
  cutOff: { open: boolean } | null;
}
interface Run {
  result: string;
  reason: string | null;
  costUsd: number | null;
}

test.each(
  cases([
    ["killed", "kill"],
    ["asked to stop", "stop"],
  ] as const),
)(
  "a daemon that is %s in the middle of a run ends it once, reports it once, and runs the next one afresh",
  async (_, how) => {
    await using stack = new AsyncDisposableStack();
    const folder = stack.use(await createTemporaryFolder("restart"));
    const told: string[] = [];
    const target = createServer((request, response) => {
      let text = "";
      request.on("data", (part: Buffer) => (text += String(part)));
      request.on("end", () => {
        told.push(text);
        response.end();
      });
    }).listen(0, "127.0.0.1");
    await once(target, "listening");
    stack.defer(() => void target.close());
    stack.defer(() => target.closeAllConnections());
    const { port } = target.address() as AddressInfo;
    const home = join(folder.path, "home");

    const first = stack.use(await startDaemon(home));
    const before = await createApiClient(first);
    const mark = join(folder.path, "tool-runs");
    const { body } = await before.call<{ automation: { id: string } }>(
      "POST",
      "/api/automations",
      {
        name: "Interrupted",
        cli: "practice",
        prompt: `[[cost:0.25]][[run:touch ${mark}; (setsid sleep 300 &); sleep 300]][[reply:never]]`,
        limits: { maxRunsPerDay: 2 },
        notifyUrl: `http://127.0.0.1:${port}/`,
      },
    );
    const path = `/api/automations/${body.automation.id}`;
    await before.call("POST", `${path}/run`);
    await expect
      .poll(() =>
        access(mark).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    expect(await findMarkedProcesses(folder.path)).not.toEqual([]);
    await first[how]();

    const api = await createApiClient(stack.use(await startDaemon(home)));
    const runs = async () =>
      (await api.call<{ items: Run[] }>("GET", `${path}/runs`)).body.items;
    await expect
      .poll(async () => (await runs())[0]?.reason)
      .toBe("daemon-restarted");
    expect(await runs()).toMatchObject([{ result: "failed", costUsd: 0.25 }]);
    const { body: spending } = await api.call<{ day: { spentUsd: number } }>(
      "GET",
      "/api/automations/spending",
    );
    expect(spending.day.spentUsd).toBe(0.25);
    await expect.poll(() => findMarkedProcesses(folder.path)).toEqual([]);
    await expect.poll(() => told.length).toBe(1);
    expect(told[0]).toContain("Interrupted");

    // The notice of the failure offers to continue what was cut off: there is no other item of it.
    const inbox = async () =>
      (await api.call<{ items: Item[] }>("GET", "/api/inbox")).body.items;
    await expect
      .poll(inbox)
      .toMatchObject([
        { kind: "notice", state: "unread", cutOff: { open: true } },
      ]);

    // It counts once for the cap: one more may run, and a third may not.
    const prompt = "[[reply:afresh]]";
    await api.call("PATCH", path, { prompt });
    await api.call("POST", `${path}/run`);
    await expect.poll(async () => (await runs())[0]?.result).toBe("done");
    await api.call("POST", `${path}/run`);
    expect((await runs()).map(({ reason }) => reason)).toEqual([
      "rate-cap",
      null,
      "daemon-restarted",
    ]);
    await expect.poll(() => told.length).toBe(2);
    // The next run continued the conversation; the notice of the failure is still unread.
    await expect.poll(inbox).toMatchObject([
      { kind: "result", cutOff: null },
      { kind: "notice", state: "unread", cutOff: { open: false } },
    ]);
  },
);
