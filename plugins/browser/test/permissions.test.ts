import { expect, test } from "vitest";
import type { SitePermission } from "../src/contract.ts";
import { bodyOf, startRecords } from "./support/start-records.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const permission = (fields: object = {}) => bodyOf("/permissions", fields);

test("there is one permission for each origin and kind, however often it is decided", async () => {
  await using bench = await startRecords();
  const first = await bench.add<SitePermission>("/permissions", permission());
  expect(
    await bench.add<SitePermission>(
      "/permissions",
      permission({ origin: "HTTPS://SHOP.example:443/", decision: "deny" }),
    ),
  ).toMatchObject({
    ...{ id: first.id, revision: 2 },
    ...{ origin: "https://shop.example", decision: "deny" },
  });
  await Promise.all(
    [1, 2, 3].map(() =>
      bench.add("/permissions", permission({ kind: "camera" })),
    ),
  );
  await bench.restart();
  await bench.add("/permissions", permission({ kind: "camera" }));
  const { items } = await bench.list<SitePermission>("/permissions");
  expect(items.map(({ kind }) => kind)).toEqual(["camera", "geolocation"]);
  // Longer than any key of the store.
  await bench.add(
    "/permissions",
    permission({ origin: `https://${"a".repeat(900)}.example` }),
  );
  expect(await bench.remove(`/permissions/${first.id}`)).toMatchObject({
    status: 200,
  });
  expect(await bench.add("/permissions/clear")).toEqual({ deleted: 2 });
});

test("permissions that were not used for some days are pruned", async () => {
  await using bench = await startRecords();
  await bench.add("/permissions", permission());
  await bench.add("/permissions", permission({ kind: "camera" }));
  // Without running what is due in between.
  bench.clock.jumpWall(bench.clock.now() + 6 * DAY_MS);
  await bench.add("/permissions", permission({ kind: "camera" }));
  bench.clock.jumpWall(bench.clock.now() + 2 * DAY_MS);
  expect(await bench.add("/permissions/prune", { days: 7 })).toEqual({
    deleted: 1,
  });
  expect((await bench.list("/permissions")).items).toMatchObject([
    { kind: "camera" },
  ]);
  for (const days of [6, 6.5, -7, "7", 1e9, null])
    expect(await bench.post("/permissions/prune", { days })).toMatchObject({
      status: 400,
      body: { code: "INPUT_INVALID", errors: [{ path: "days" }] },
    });
});
