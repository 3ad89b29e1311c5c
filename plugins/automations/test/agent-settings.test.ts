import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import acp from "@gantry/plugin-acp";
import agents from "@gantry/plugin-agents";
import practice from "@gantry/plugin-practice";
import { startTestKernel } from "@gantry/plugin-testing";
import plugin from "../src/index.ts";
import type { AutomationView } from "../src/wire/automation.ts";
import { createMeteredAgents } from "./support/metered-agents.ts";

/** Starts a daemon in which agents get this CLI unless they are given one. */
async function startWith(defaultCli: string, home?: string) {
  const metered = createMeteredAgents();
  const kernel = await startTestKernel(
    [agents, acp, practice, metered.plugin, plugin],
    {
      home,
      settings: { agents: { ...metered.settings, defaultCli } },
    },
  );
  const { api } = kernel;
  return Object.assign(kernel, {
    create: async (cli: string | null) =>
      (
        await api.post<{ automation: AutomationView }>("/api/automations", {
          name: "Chooser",
          prompt: "Go.",
          cli,
        })
      ).body.automation,
    cliOf: async ({ agentId }: AutomationView) =>
      (await api.get<{ cli: string }>(`/api/agents/${agentId}`)).body.cli,
    change: ({ id }: AutomationView, body: object) =>
      api.patch(`/api/automations/${id}`, body),
  });
}

test("an automation whose CLI is cleared gets the default one", async () => {
  await using daemon = await startWith("metered");
  const { create, cliOf, change } = daemon;
  const automation = await create("practice");
  await change(automation, { name: "Renamed" });
  expect(await cliOf(automation)).toBe("practice");
  await change(automation, { cli: null });
  expect(await cliOf(automation)).toBe("metered");
  await change(automation, { cli: "practice" });
  expect(await cliOf(automation)).toBe("practice");
});

test("an automation without a CLI of its own keeps its agent's when another one becomes the default", async () => {
  const home = await mkdtemp(join(tmpdir(), "gantry-default-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  let automation: AutomationView;
  {
    await using before = await startWith("metered", home);
    automation = await before.create(null);
  }
  await using after = await startWith("practice", home);
  await after.change(automation, { name: "Renamed" });
  expect(await after.cliOf(automation)).toBe("metered");
});
