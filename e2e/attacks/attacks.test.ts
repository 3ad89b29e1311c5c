import { afterAll, beforeAll, describe } from "vitest";
import { chromiumPath, launchBrowser } from "../support/browser.ts";
import { runRows } from "./runner/run-rows.ts";
import type { Stage } from "./runner/run-rows.ts";
import { createTable } from "./runner/table.ts";
import { sections } from "./rows/index.ts";
import { startSlowClients } from "./world/slow-clients.ts";
import { createWorld } from "./world/world.ts";

/** A browser that knows names of others which lead to this machine, and has no guard of its own against that. */
const GULLIBLE = [
  "--host-resolver-rules=MAP *.example 127.0.0.1",
  "--disable-features=LocalNetworkAccessChecks",
];

let stack: AsyncDisposableStack;
let stage: Stage;
const table = createTable();

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  const world = stack.use(await createWorld("attacks"));
  const slow = stack.use(startSlowClients(world));
  const browser =
    chromiumPath === undefined
      ? undefined
      : stack.use(await launchBrowser({ args: GULLIBLE }));
  // Rows that need a browser are left out where there is none.
  stage = { world, scene: { slow, browser: browser! } };
});

afterAll(async () => {
  console.log(table.close());
  await stack.disposeAsync();
});

for (const [title, rows] of Object.entries(sections))
  describe(title, () => runRows(rows, () => stage, table));
