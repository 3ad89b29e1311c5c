import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { chromiumPath, launchBrowser } from "../support/browser.ts";
import { runRows } from "./runner/run-rows.ts";
import type { Scene } from "./runner/run-rows.ts";
import { sections } from "./rows/index.ts";
import { createWorld } from "./world/world.ts";
import type { World } from "./world/world.ts";

let stack: AsyncDisposableStack;
let world: World;
let browser: Browser | undefined;

const scene: Scene = {
  world: () => world,
  browser: () => browser!,
};

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  world = stack.use(await createWorld("attacks"));
  if (chromiumPath !== undefined) browser = stack.use(await launchBrowser());
});

afterAll(() => stack.disposeAsync());

for (const [title, rows] of Object.entries(sections))
  describe(title, () => runRows(rows, scene));
