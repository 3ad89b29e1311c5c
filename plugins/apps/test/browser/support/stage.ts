import { fileURLToPath } from "node:url";
import { startBrowserStage } from "@gantry/plugin-testing/browser";
import type { BrowserStage } from "@gantry/plugin-testing/browser";
import { expect } from "vitest";
import type { AppBadge } from "../../../src/contract.ts";
import { createDemo, type Demo } from "./demo.ts";
import { gallery } from "./gallery.ts";
import { createRealClock } from "./real-clock.ts";

/** A kernel with the built shell and the built apps, an app for tests, and a browser. */
export interface Stage extends BrowserStage {
  demo: Demo;
  /** Sets the badge of the demo, and waits until the list has it. */
  setBadge(badge: AppBadge): Promise<void>;
}

const packageFolder = fileURLToPath(new URL("../../../", import.meta.url));

export async function startStage(): Promise<Stage> {
  const demo = createDemo();
  for (const [path, view] of Object.entries(gallery)) demo.show(path, view);
  const stage = await startBrowserStage([demo.plugin], {
    package: packageFolder,
    clock: createRealClock(),
    beside: ["../agents"],
    screens: { phone: { hasTouch: true } },
    settings: { agents: { defaultCli: "practice" } },
  });
  return {
    ...stage,
    demo,
    async setBadge(badge) {
      demo.badge = badge;
      // A badge is kept for a second.
      await expect
        .poll(async () => {
          const { body } = await stage.kernel.api.get<{
            items: { id: string; badge: AppBadge | null }[];
          }>("/api/apps");
          return body.items.find(({ id }) => id === "demo")?.badge?.text;
        })
        .toBe(badge.text);
    },
  };
}
