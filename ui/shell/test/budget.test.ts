import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixturePlugin } from "./support/fixturePlugin.ts";
import { hasBrowser, openShell } from "./support/openShell.ts";

/** What came over the wire while something was done, by address, without what the browser had already. */
async function measure(
  page: Page,
  act: () => Promise<unknown>,
): Promise<Map<string, number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const urls = new Map<string, string>();
  const cached = new Set<string>();
  const bytes = new Map<string, number>();
  session.on("Network.responseReceived", ({ requestId, response }) => {
    urls.set(requestId, new URL(response.url).pathname);
    if (response.fromDiskCache) cached.add(requestId);
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const path = urls.get(requestId);
    if (path !== undefined && !cached.has(requestId))
      bytes.set(path, encodedDataLength);
  });
  await act();
  await session.detach();
  return bytes;
}

describe.skipIf(!hasBrowser)("what the home page costs", () => {
  let shell: Awaited<ReturnType<typeof openShell>>;

  beforeAll(async () => {
    shell = await openShell();
    shell.standIn.state.plugins.set("notes", fixturePlugin("notes"));
  });
  afterAll(() => shell.close());

  test("few bytes and few requests, and next to none the second time", async () => {
    const { page } = await shell.open("/pair");
    await page.getByRole("link", { name: "Open Gantry" }).waitFor();
    const shown = async () => {
      await page.getByRole("region", { name: "Latest notes" }).waitFor();
      await page.getByText("Connected").waitFor();
      await page.waitForFunction(() => document.fonts.status === "loaded");
    };
    await page
      .context()
      .newCDPSession(page)
      .then((session) => session.send("Network.clearBrowserCache"));

    const first = await measure(page, async () => {
      await page.goto(shell.standIn.origin);
      await shown();
    });
    const total = [...first.values()].reduce((sum, each) => sum + each, 0);
    const main = Math.max(
      ...[...first]
        .filter(([path]) => path.endsWith(".js"))
        .map(([, each]) => each),
    );
    const styles = [...first]
      .filter(([path]) => path.endsWith(".css"))
      .reduce((sum, [, each]) => sum + each, 0);
    // Of 350 kB and 30 requests the rest is for plugins; of 150 kB to the first paint, what the page itself needs.
    expect(total).toBeLessThan(230_000);
    expect(first.size).toBeLessThanOrEqual(18);
    expect((first.get("/") ?? 0) + main + styles).toBeLessThan(140_000);

    const second = await measure(page, async () => {
      await page.reload();
      await shown();
    });
    expect(
      [...second.values()].reduce((sum, each) => sum + each, 0),
    ).toBeLessThan(10_000);
  });
});
