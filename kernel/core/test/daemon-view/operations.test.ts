import { expect, test } from "vitest";
import { hello, startProbe } from "../support/probe.ts";

test("a plugin sees all operations, and nothing that would answer them past the gate", async () => {
  await using kernel = await startProbe({
    setup: (ctx) => void ctx.route(hello("/api/probe")),
  });
  const operations = kernel.ctx.daemon.operations();
  const own = operations.find(({ plugin }) => plugin === "probe");
  expect(own).toMatchObject({
    ...{ method: "GET", path: "/api/probe", access: "session" },
    isSystem: false,
    isPublic: false,
    codes: expect.arrayContaining(["AUTH_NOT_PAIRED"]) as string[],
  });
  for (const operation of operations)
    for (const name of ["handle", "authorize", "settled"])
      expect(operation).not.toHaveProperty(name);
  expect(operations.filter(({ isPublic }) => isPublic)).toMatchObject([
    { path: "/pair", plugin: "kernel", isSystem: true },
  ]);
});

test("the list of operations is the same until one is added or removed", async () => {
  await using kernel = await startProbe();
  const { daemon, route } = kernel.ctx;
  const before = daemon.operations();
  expect(daemon.operations()).toBe(before);
  const remove = route(hello("/api/probe"));
  expect(daemon.operations()).toHaveLength(before.length + 1);
  remove();
  expect(daemon.operations()).toEqual(before);
});
