import type { Page } from "playwright-core";
import type { RecordsStage } from "./records-stage.ts";

const PICTURE = `<body style="margin:0;font:16px sans-serif">
<button style="margin:12px;padding:8px 16px;border-radius:6px;border:0;background:#16a34a;color:#fff">Pay now</button>`;

/** Adds what a user may have after some days: records of each kind, and two agents. */
export async function fillRecords(stage: RecordsStage): Promise<string[]> {
  const { kernel } = stage;
  const records = stage.records();
  const agents: string[] = [];
  for (const name of ["Move the shop to the new checkout", "Docs"]) {
    const { body } = await kernel.api.post<{ id: string }>("/api/agents", {
      name,
      cli: "practice",
    });
    agents.push(body.id);
  }
  const [shop, docs] = agents as [string, string];

  await records.history.visit({
    url: "https://docs.example.com/getting-started",
    title: "Getting started",
    agentId: docs,
  });
  await records.permissions.put({
    ...{ origin: "https://maps.example.com", kind: "geolocation" },
    decision: "allow",
  });
  await kernel.clock.advanceTo(new Date().toISOString());
  for (let index = 0; index < 60; index++)
    await records.history.visit({
      url: `http://localhost:5173/orders/${index}?filter=${"open".repeat(20)}`,
      title: index % 7 ? `Order ${index}` : "",
    });
  await records.history.visit({ url: "http://localhost:5173/", title: "Shop" });
  await records.history.visit({ url: "http://localhost:5173/" });
  await records.permissions.put({
    ...{ origin: "http://localhost:5173", kind: "notifications" },
    decision: "deny",
  });
  await fillDownloads(stage);
  await fillAnnotations(stage, shop);

  await records.policies.put({
    ...{ agentId: shop, tier: "act", ownServers: true },
    sites: ["docs.example.com", "*.example.org", "localhost:5173"],
  });
  await records.audit.append([
    {
      ...{ agentId: shop, method: "Page.navigate", verdict: "refused" },
      reason: "shop.example.net is not among its sites.",
      ...{ at: kernel.clock.now() ? timeOf(stage) : "", count: 3 },
    },
    {
      ...{ agentId: shop, method: "Page.captureScreenshot", reason: null },
      ...{ verdict: "allowed", at: timeOf(stage), count: 1 },
    },
  ]);
  return agents;
}

const timeOf = ({ kernel }: RecordsStage) =>
  new Date(kernel.clock.now()).toISOString();

async function fillDownloads(stage: RecordsStage): Promise<void> {
  const { downloads } = stage.records();
  const begin = (fileName: string) =>
    downloads.begin({
      url: `https://files.example.com/${fileName}`,
      fileName,
      totalBytes: 48_000_000,
    });
  const done = await begin("invoices-2026.zip");
  await downloads.end(done.id, {
    ...{ state: "completed", receivedBytes: 48_000_000 },
    path: "/home/ada/Downloads/invoices-2026.zip",
  });
  const failed = await begin(
    "a-name-that-is-so-long-that-it-does-not-fit-on-any-line-of-a-phone.tar.gz",
  );
  await downloads.end(failed.id, {
    ...{ state: "failed", problem: "The connection was lost." },
  });
  const running = await begin("video.mp4");
  await downloads.progress(running.id, { receivedBytes: 12_000_000 });
}

async function fillAnnotations(
  stage: RecordsStage,
  agentId: string,
): Promise<void> {
  const { annotations } = stage.records();
  const page: Page = await stage.browser.newPage({
    viewport: { width: 160, height: 70 },
  });
  await page.setContent(PICTURE);
  const bytes = await page.screenshot({ type: "png" });
  await page.close();
  const common = {
    url: "http://localhost:5173/cart",
    title: "Cart",
    box: { x: 1, y: 2, width: 100, height: 40 },
    text: "Pay now",
    styles: [],
  };
  const first = await annotations.add({
    ...common,
    selector: "main > section:nth-child(2) > p",
    html: "",
    comment: "Say what shipping costs before the last step.",
    screenshot: null,
  });
  await annotations.markSent(first.id, agentId);
  await annotations.add({
    ...common,
    selector: '[data-testid="pay"]',
    html: '<button data-testid="pay" class="primary">Pay now</button>',
    comment: "Make this button larger.\nIt is hard to hit on a phone.",
    screenshot: { mediaType: "image/png", bytes },
  });
}
