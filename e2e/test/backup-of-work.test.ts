import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

test("a snapshot is proven while a terminal, an agent and a run are open, and they continue", async () => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await createTemporaryFolder("backup-of-work"));
  const workspace = join(folder.path, "work");
  const backups = join(folder.path, "backups");
  for (const path of [workspace, backups]) await mkdir(path);
  const daemon = stack.use(await startDaemon(join(folder.path, "home")));
  const api = await createApiClient(daemon);
  const call = async <Body>(method: string, path: string, body?: object) => {
    const answer = await api.call<Body>(method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  };
  const terminal = await call<{ id: string; pid: number }>(
    ...(["POST", "/api/terminals"] as const),
    { kind: "shell", cwd: workspace },
  );
  stack.defer(() => call("DELETE", `/api/terminals/${terminal.id}`));
  const agent = await call<{ id: string }>("POST", "/api/agents", {
    ...{ name: "Busy", cli: "practice" },
  });
  await call("POST", `/api/agents/${agent.id}/ask`, { text: "Hello" });
  const { automation } = await call<{ automation: { id: string } }>(
    ...(["POST", "/api/automations"] as const),
    { name: "Waits", cli: "practice", prompt: "[[run:sleep 300]]" },
  );
  const path = `/api/automations/${automation.id}`;
  await call("POST", `${path}/run`);
  const isRunning = async () =>
    (await call<{ items: { result: string }[] }>("GET", `${path}/runs`))
      .items[0]?.result;
  await expect.poll(isRunning).toBe("running");

  await call("PUT", "/api/backup", { folder: backups, everyMinutes: 43_200 });
  const { snapshot } = await call<{ snapshot: object }>(
    ...(["POST", "/api/backup/now"] as const),
    { verify: true },
  );
  expect(snapshot).toMatchObject({ problem: null });
  expect(await call("GET", `/api/terminals/${terminal.id}`)).toMatchObject({
    ...{ state: "running", pid: terminal.pid },
  });
  expect(process.kill(terminal.pid, 0)).toBe(true);
  expect(await isRunning()).toBe("running");
});
