import { expect, test } from "vitest";
import { readRoutes } from "../attacks/world/routes.ts";
import { operations } from "../fixtures/operations.ts";
import { createApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** The same for every name of a parameter. */
const plain = (operation: string) => operation.replace(/\{\w+\}/g, "{}");

test("the built daemon has all operations that clients count on, each once", async () => {
  await using folder = await createTemporaryFolder("surface");
  await using daemon = await startDaemon(folder.path);
  const routes = await readRoutes(await createApiClient(daemon));
  const found = routes.map(({ method, path }) => plain(`${method} ${path}`));
  expect(new Set(found).size).toBe(found.length);
  const expected = Object.values(operations).flat();
  expect(new Set(expected).size).toBe(106);
  expect(operations["browser"]).toHaveLength(20);
  expect(expected.filter((each) => !found.includes(plain(each)))).toEqual([]);
});
