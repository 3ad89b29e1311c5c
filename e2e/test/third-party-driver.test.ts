import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import { runGantry, startDaemon } from "../support/daemon.ts";
import { packThirdPartyPlugin } from "../support/third-party-plugin.ts";

const PROGRAM = fileURLToPath(
  new URL("../fixtures/lines-driver/test/lines-agent.mjs", import.meta.url),
);

test("a driver from a tarball brings its CLI, and agents use it at once", async () => {
  await using plugin = await packThirdPartyPlugin("lines-driver");
  const { home, tarball } = plugin;
  await mkdir(home, { recursive: true, mode: 0o700 });
  const cli = { driver: "lines", command: process.execPath, args: [PROGRAM] };
  const clis = { mine: { ...cli, env: { LINES_HOME: join(home, "lines") } } };
  await writeFile(
    join(home, "config.json"),
    JSON.stringify({ settings: { agents: { clis } } }),
  );
  await using daemon = await startDaemon(home);
  const api = await createApiClient(daemon);
  const listed = async () => {
    const { body } = await api.call<{
      items: { name: string; installed: boolean; reason: string | null }[];
    }>("GET", "/api/agents/clis");
    return new Map(body.items.map((item) => [item.name, item]));
  };
  expect((await listed()).get("mine")).toMatchObject({
    installed: false,
    reason: 'No plugin provides the driver "lines".',
  });

  expect(
    (await runGantry("plugins", "add", tarball, "--home", home)).output,
  ).toContain("lines-driver 1.0.0 (home): active");
  const after = await listed();
  expect(after.get("mine")).toMatchObject({ installed: true });
  expect(after.get("lines-agent")).toMatchObject({ installed: false });
  const { body: agent } = await api.call<{ id: string }>(
    "POST",
    "/api/agents",
    { name: "Lines", cli: "mine" },
  );
  const ask = async (text: string) =>
    await api.call("POST", `/api/agents/${agent.id}/ask`, {
      text,
      timeoutMs: 60_000,
    });
  expect(await ask("[[reply:hello]]")).toMatchObject({
    status: 200,
    body: { answer: "hello", costUsd: 0.01, stopReason: "end" },
  });

  await runGantry("plugins", "remove", "lines-driver", "--home", home);
  expect((await listed()).has("lines-agent")).toBe(false);
});
