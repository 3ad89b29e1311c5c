import { fileURLToPath } from "node:url";
import { createIdentifier } from "@gantry/plugin";
import type { Clock } from "@gantry/plugin";
import { startBrowserStage } from "@gantry/plugin-testing/browser";
import type { BrowserStage } from "@gantry/plugin-testing/browser";
import { createAgents } from "../../support/create-agents.ts";
import type { FakeAgents } from "../../support/create-agents.ts";
import { FAKE } from "../../support/start-browsing.ts";
import { bodyOf } from "../../support/start-records.ts";

/** A kernel that serves the built shell and the built pages, and a browser to look at them. */
export interface RecordsStage extends BrowserStage {
  readonly agents: FakeAgents["agents"];
  /** The prompts that agents received. */
  readonly prompts: FakeAgents["prompts"];
  /** Decide about the next prompts. */
  readonly refusals: FakeAgents["refusals"];
  /** Adds a record of this kind with these fields and returns its id. */
  add(path: string, fields?: object): Promise<string>;
  /** Reports to `POST /downloads/status`. */
  report(id: string, fields: object): Promise<void>;
}

const packageFolder = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * Starts a stage without records and agents.
 *
 * @param settings Those of the plugin; a stand-in for Chromium if they are left out.
 * @param clock The fake one if it is left out.
 */
export async function startStage(
  settings: object = FAKE,
  clock?: Clock,
): Promise<RecordsStage> {
  const { plugin, agents, prompts, refusals } = createAgents();
  const stage = await startBrowserStage([plugin], {
    package: packageFolder,
    settings: { browser: settings },
    ...(clock && { clock }),
  });
  const post = async (path: string, body: object) => {
    const answer = await stage.kernel.api.post<{ id: string }>(
      `/api/browser${path}`,
      body,
    );
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body.id;
  };
  return {
    ...stage,
    ...{ agents, prompts, refusals },
    add: (path, fields) => post(path, bodyOf(path, { ...fields })),
    report: async (id, fields) =>
      void (await post("/downloads/status", { id, ...fields })),
  };
}

/** Removes all records and agents, and closes all tabs. */
export async function emptyStage({
  agents,
  kernel,
}: RecordsStage): Promise<void> {
  agents.clear();
  const { api } = kernel;
  for (const kind of ["history", "permissions"])
    await api.post(`/api/browser/${kind}/clear`, {});
  for (const kind of ["downloads", "annotations", "tabs"]) {
    const { body } = await api.get<{ items: { id: string }[] }>(
      `/api/browser/${kind}`,
    );
    for (const { id } of body.items)
      await api.delete(`/api/browser/${kind}/${id}`);
  }
}

/** Adds an agent of this name; returns its id. */
export function addAgent({ agents }: RecordsStage, name: string): string {
  const id = createIdentifier("agt");
  agents.set(id, { id, name });
  return id;
}

/** Adds what a user may have after some days. Returns the ids of two agents. */
export async function fillStage(stage: RecordsStage): Promise<string[]> {
  const { kernel, add, report } = stage;
  const ids = ["Move the shop to the new checkout", "Docs"].map((name) =>
    addAgent(stage, name),
  );
  const [shop, docs] = ids as [string, string];

  await add("/history", {
    url: "https://docs.example.com/getting-started",
    title: "Getting started",
    agentId: docs,
  });
  for (let index = 0; index < 51; index++)
    await add("/history", {
      url: `http://localhost:5173/orders/${index}?filter=${"open".repeat(20)}`,
      title: index % 7 ? `Order ${index}` : "",
      agentId: null,
    });
  for (let count = 0; count < 2; count++)
    await add("/history", {
      ...{ url: "http://localhost:5173/", title: "Shop", agentId: null },
    });

  await add("/permissions", { origin: "https://maps.example.com" });
  await add("/permissions", {
    ...{ origin: "http://localhost:5173", kind: "notifications" },
    decision: "deny",
  });

  const totalBytes = 48_000_000;
  const done = await add("/downloads", {
    ...{ fileName: "invoices-2026.zip", totalBytes },
  });
  await report(done, { state: "completed", receivedBytes: totalBytes });
  const failed = await add("/downloads", {
    fileName:
      "a-name-that-is-so-long-that-it-does-not-fit-on-any-line-of-a-phone.tar.gz",
  });
  await report(failed, {
    ...{ state: "failed", problem: "The connection was lost." },
  });
  const running = await add("/downloads", {
    ...{ fileName: "video.mp4", totalBytes },
  });
  await report(running, { receivedBytes: 12_000_000 });

  await add("/annotations", {
    selector: "main > section:nth-child(2) > p",
    comment: "Say what shipping costs before the last step.",
  });
  const page = await stage.browser.newPage({
    viewport: { width: 160, height: 70 },
  });
  await page.setContent(
    `<button style="margin:12px;padding:8px 16px;background:#16a34a;color:#fff">Pay now</button>`,
  );
  const picture = await page.screenshot({ type: "png" });
  await page.close();
  await add("/annotations", {
    comment: "Make this button larger.\nIt is hard to hit on a phone.",
    screenshot: `data:image/png;base64,${picture.toString("base64")}`,
  });

  await kernel.api.put(`/api/browser/policies/${shop}`, {
    tier: "act",
    sites: ["docs.example.com", "*.example.org", "localhost:5173"],
  });
  await add("/tabs", { url: "http://localhost:5173/" });
  await add("/tabs", {
    ...{ url: `https://docs.example.com/${"chapter/".repeat(30)}` },
    agentId: shop,
  });
  for (let count = 0; count < 3; count++)
    await add("/developer/audit", { agentId: shop });
  await add("/developer/audit", {
    ...{ agentId: shop, method: "Page.captureScreenshot" },
    ...{ verdict: "allowed", reason: null },
  });
  return ids;
}
