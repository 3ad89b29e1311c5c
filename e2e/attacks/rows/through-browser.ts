import { expect, vi } from "vitest";
import type { Row } from "../runner/row.ts";
import { startEvilSite } from "../world/evil-site.ts";
import type { World } from "../world/world.ts";

interface Tab {
  id: string;
  url: string;
  title: string;
  loading: boolean;
}

/** A browser starts, on a machine with much to do. */
const MAX_LOAD_MS = 60_000;

export const throughBrowser: readonly Row[] = [
  {
    id: "A139f",
    title: "B: the daemon's own pages, opened in the work browser of its user",
    inBrowser: true,
    ownDaemon: true,
    changes: true,
    // What runs the browser is loaded with the first tab. And a server of this machine is shown, if it is not the daemon.
    warmUp: async (world) => {
      await using site = await startEvilSite();
      await expectTitle(world, `http://localhost:${site.port}/`, "Evil");
    },
    async run(world) {
      await using site = await startEvilSite();
      const own = [
        "127.0.0.1",
        "localhost",
        "gantry.localhost",
        "[::1]",
        "0.0.0.0",
        "2130706433",
      ].map((host) => `http://${host}:${world.port}/agents`);
      const redirects = own
        .slice(0, 3)
        .map(
          (to) => `http://localhost:${site.port}/?to=${encodeURIComponent(to)}`,
        );
      for (const url of [...own, ...redirects])
        await expectTitle(world, url, "Not opened");
    },
  },
];

/** Opens a page, waits for its title and closes it. Passes where the daemon runs no browser: nothing is reached there. */
async function expectTitle(
  { api }: World,
  url: string,
  title: string,
): Promise<void> {
  const opened = await api.call<Tab & { code?: string }>(
    "POST",
    "/api/browser/tabs",
    { url },
  );
  if (opened.status === 503) {
    expect(opened.body.code).toMatch(/^BROWSER_(MISSING|SANDBOX)$/);
    return;
  }
  expect(opened.status, JSON.stringify(opened.body)).toBe(200);
  const { id } = opened.body;
  await vi.waitFor(
    async () => {
      const { body } = await api.call<{ items: Tab[] }>(
        "GET",
        "/api/browser/tabs",
      );
      const tab = body.items.find((one) => one.id === id);
      expect(tab, url).toMatchObject({ loading: false, title });
    },
    { timeout: MAX_LOAD_MS, interval: 50 },
  );
  await api.call("DELETE", `/api/browser/tabs/${id}`);
}
