import { describe, expect, test } from "vitest";
import { AgentRuns } from "@gantry/plugin-agents/contract";
import { definePlugin } from "@gantry/plugin";
import { provideFake, startTestKernel } from "@gantry/plugin-testing";
import { AutomationTemplates } from "../src/contract.ts";
import type { AutomationTemplate } from "../src/contract.ts";
import plugin from "../src/index.ts";
import type { TemplateView } from "../src/templates/template.ts";
import { createFakeAgents } from "./support/fake-agents.ts";
import { startBench } from "./support/start.ts";

const NEVER = new AbortController().signal;
const PATH = "/api/automations/templates";

const another: AutomationTemplate = {
  id: "other-licences",
  name: "Licences",
  category: "Legal",
  summary: "Which licences the dependencies have.",
  prompt: "List the licences.",
  schedules: [{ frequency: "hourly", minute: 5 }],
  limits: {
    maxCostUsd: 1,
    maxRunsPerHour: null,
    maxRunsPerDay: null,
    maxRunsPerWeek: null,
  },
};

/** A kernel with a plugin beside ours that hands over templates. */
async function startWithOther(templates: readonly object[]) {
  const refused: string[] = [];
  const kernel = await startTestKernel([
    provideFake(AgentRuns, createFakeAgents().service),
    plugin,
    definePlugin({
      id: "other",
      api: 1,
      summary: "Brings templates",
      mounts: [],
      needs: { templates: AutomationTemplates },
      async setup(ctx) {
        for (const template of templates)
          await ctx.needs.templates
            .add(template as AutomationTemplate, ctx.signal)
            .catch((error: { code: string }) => refused.push(error.code));
      },
    }),
  ]);
  const list = async () =>
    (await kernel.api.get<{ items: TemplateView[] }>(PATH)).body.items;
  return { kernel, refused, list };
}

describe("templates", () => {
  test("the seven are there, each with all that an automation needs", async () => {
    await using bench = await startBench();
    const { body } = await bench.kernel.api.get<{
      items: TemplateView[];
      nextCursor: null;
    }>(PATH);
    expect(body.nextCursor).toBeNull();
    expect(body.items.map(({ id }) => id).sort()).toEqual([
      "changelog-draft",
      "docs-drift",
      "morning-brief",
      "nightly-tests",
      "outdated-dependencies",
      "stale-branches",
      "vulnerability-audit",
    ]);
    for (const {
      id,
      name,
      prompt,
      schedules,
      limits,
      permissions,
    } of body.items) {
      expect(prompt).toMatch(/Only report\. Change nothing/);
      expect(limits.maxCostUsd).toBeGreaterThan(0);
      const made = await bench.create({
        name,
        prompt,
        limits,
        permissions,
        schedules: schedules.map((one) => ({ ...one, timeZone: "UTC" })),
      });
      expect(made).toMatchObject({ name, prompt, limits });
      expect(made.nextRunAt).not.toBeNull();
      // Only tests have to be run; all else is reading.
      expect(made.permissions).toMatchObject(
        id === "nightly-tests"
          ? { mode: "allow-once" }
          : { mode: "report-only", tools: [] },
      );
    }
  });

  test("a category narrows", async () => {
    await using bench = await startBench();
    const of = async (category: string) =>
      (
        await bench.kernel.api.get<{ items: TemplateView[] }>(PATH, {
          category,
        })
      ).body.items.map(({ id }) => id);
    expect(await of("Dependencies")).toEqual([
      "outdated-dependencies",
      "vulnerability-audit",
    ]);
    expect(await of("dependencies")).toHaveLength(2);
    expect(await of("Nothing of the kind")).toEqual([]);
  });

  test("another plugin adds its own, which only reports too", async () => {
    const { kernel, refused, list } = await startWithOther([another]);
    await using _ = kernel;
    expect(refused).toEqual([]);
    const items = await list();
    expect(items).toHaveLength(8);
    expect(items.find(({ id }) => id === another.id)).toMatchObject({
      category: "Legal",
      prompt: expect.stringMatching(/^List the licences\.\n\nOnly report\./),
      permissions: { mode: "report-only", tools: [] },
      schedules: [{ frequency: "hourly", minute: 5, time: null }],
    });
  });

  test("another plugin withdraws its own, and can offer it again", async () => {
    const offer = new AbortController();
    let templates: AutomationTemplates | undefined;
    await using kernel = await startTestKernel([
      provideFake(AgentRuns, createFakeAgents().service),
      plugin,
      definePlugin({
        id: "other",
        api: 1,
        summary: "Brings a template for a while",
        mounts: [],
        needs: { templates: AutomationTemplates },
        setup: (ctx) => void (templates = ctx.needs.templates),
      }),
    ]);
    const ids = async () =>
      (await kernel.api.get<{ items: TemplateView[] }>(PATH)).body.items.map(
        ({ id }) => id,
      );
    await templates!.add(another, offer.signal);
    expect(await ids()).toContain(another.id);
    offer.abort();
    expect(await ids()).not.toContain(another.id);
    await templates!.add({ ...another, runsPrograms: true }, NEVER);
    expect(await ids()).toContain(another.id);
  });

  test("what is none, or takes the place of another, is refused", async () => {
    const { kernel, refused, list } = await startWithOther([
      { ...another, id: "morning-brief" },
      { ...another, id: "Not Kebab" },
      { ...another, name: "two\nlines" },
      { ...another, schedules: [{ frequency: "daily", time: "25:00" }] },
      { ...another, schedules: [{ frequency: "custom", cron: "0 0 30 2 *" }] },
      { ...another, limits: { ...another.limits, maxCostUsd: -1 } },
      { ...another, permissions: { mode: "allow-once", tools: ["bash"] } },
    ]);
    await using _ = kernel;
    expect(refused).toEqual([
      "AUTOMATION_TEMPLATE_TAKEN",
      ...Array.from({ length: 6 }, () => "AUTOMATION_TEMPLATE_INVALID"),
    ]);
    expect(await list()).toHaveLength(7);
  });
});
