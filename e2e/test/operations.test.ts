import { expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import { operations } from "../support/operations.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** The same for every name of a parameter. */
const withoutNames = (operation: string) => operation.replace(/\{\w+\}/g, "{}");

test("the document has all operations that clients count on, each with the tag of its part", async () => {
  expect(new Set(Object.values(operations).flat()).size).toBe(106);
  await using folder = await createTemporaryFolder("operations");
  await using daemon = await startDaemon(folder.path);
  const api = await createApiClient(daemon);
  const { body } = await api.call<{
    paths: Record<string, Record<string, { tags: string[] }>>;
  }>("GET", "/api/openapi.json");
  const served = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { tags }]) =>
      withoutNames(`${tags[0]}: ${method.toUpperCase()} ${path}`),
    ),
  );
  expect(new Set(served).size).toBe(served.length);
  const expected = Object.entries(operations).flatMap(([tag, listed]) =>
    listed.map((operation) => withoutNames(`${tag}: ${operation}`)),
  );
  expect(expected.filter((operation) => !served.includes(operation))).toEqual(
    [],
  );
});
