import { expect, test } from "vitest";
import type { Policy, SitePermission } from "../src/contract.ts";
import { narrowPolicy } from "../src/records/narrow-policy.ts";
import { createAgents } from "./support/create-agents.ts";
import { AGENT_ID, bodyOf, startRecords } from "./support/start-records.ts";
import type { RecordsBench } from "./support/start-records.ts";

/** Copies the records of the plugin, as a snapshot does. The result puts them back and starts the daemon again. */
async function copyRecords(
  bench: RecordsBench,
): Promise<(isMerge?: boolean) => Promise<void>> {
  const engineOf = () => bench.kernel.foundation.core.engine;
  const records = async () =>
    (await engineOf().keys("browser:")).filter((key) => !key.includes("@"));
  const keys = await records();
  const values = await engineOf().getMany(keys);
  return async (isMerge = false) => {
    const entries = keys.map((key, at) => ({
      ...{ type: "set" as const, key },
      value: values[at]!,
    }));
    const toRemoval = (key: string) => ({ type: "remove" as const, key });
    const gone = (await records()).filter((key) => !keys.includes(key));
    if (isMerge) {
      // The indexes of collections are built again, see the merge of the kernel.
      const { engine } = bench.kernel.foundation.core;
      const digests = await engine.keys("kernel:collection:browser:");
      await engine.commit([
        ...entries.filter(({ key }) => !key.includes("~")),
        ...digests.map(toRemoval),
      ]);
      return await bench.restart();
    }
    await engineOf().commit([...entries, ...gone.map(toRemoval)]);
    await bench.restart();
  };
}

test("a permission that was removed or denied is not allowed again after a restore, others are", async () => {
  await using bench = await startRecords();
  const decide = (kind: string, decision = "allow") =>
    bench.add<SitePermission>(
      "/permissions",
      bodyOf("/permissions", { kind, decision }),
    );
  const allowed = async () =>
    (await bench.list<SitePermission>("/permissions")).items
      .filter(({ decision }) => decision === "allow")
      .map(({ kind }) => kind)
      .sort();
  const removed = await decide("camera");
  await decide("geolocation");
  await decide("midi");
  const restore = await copyRecords(bench);
  await bench.remove(`/permissions/${removed.id}`);
  await decide("geolocation", "deny");
  for (let time = 0; time < 2; time++) {
    await restore();
    expect(await allowed()).toEqual(["midi"]);
  }
  await bench.add("/permissions/clear");
  await restore();
  expect(await allowed()).toEqual([]);
  // A permission that the user gives again is valid.
  await decide("camera");
  await restore();
  expect(await allowed()).toEqual(["camera"]);
});

test("of two decisions about a site the one that was here stays", async () => {
  await using bench = await startRecords();
  const decide = (decision: string) =>
    bench.add<SitePermission>(
      "/permissions",
      bodyOf("/permissions", { decision }),
    );
  const { id } = await decide("deny");
  const restore = await copyRecords(bench);
  await bench.remove(`/permissions/${id}`);
  const kept = await decide("allow");
  await restore(true);
  const { items } = await bench.list<SitePermission>("/permissions");
  expect(items.map((item) => item.id)).toEqual([kept.id]);
});

test("a policy that was made narrower is not wider after a restore", async () => {
  const agents = createAgents({ id: AGENT_ID, name: "Ada" });
  await using bench = await startRecords([agents.plugin]);
  const put = (tier: string, sites: string[]) =>
    bench.api.put(`/api/browser/policies/${AGENT_ID}`, { tier, sites });
  const policy = async () => {
    const [found] = (await bench.list<Policy>("/policies")).items;
    return [found?.tier, found?.sites];
  };
  await put("full", ["*", "localhost:3000"]);
  const restore = await copyRecords(bench);
  await put("read", ["example.com"]);
  await restore();
  expect(await policy()).toEqual(["read", ["example.com"]]);
  await put("full", ["*", "*.example.org", "localhost:3000"]);
  await restore();
  expect(await policy()).toEqual(["full", ["*", "localhost:3000"]]);
  await put("none", []);
  await restore();
  expect(await policy()).toEqual(["none", []]);
  const path = `/api/browser/policies/${AGENT_ID}`;
  await bench.api.put(path, { tier: "act", ownServers: true });
  const restoreOwn = await copyRecords(bench);
  await put("act", []);
  await restoreOwn();
  expect((await bench.list<Policy>("/policies")).items).toMatchObject([
    { tier: "act", ownServers: false },
  ]);
});

test.each([
  [["a.example.com", "other.org"], ["*.example.com"], ["a.example.com"]],
  [["*"], ["*.example.com", "localhost:3000"], ["*.example.com"]],
  [["example.com"], ["example.com:8080"], ["example.com:8080"]],
  [["localhost:3000"], ["localhost:4000", "*"], []],
  [["10.0.0.1"], ["*"], []],
])("%j and %j have %j in common", (one, other, sites) => {
  const [first, second] = [one, other].map((each) => ({
    ...{ tier: "full" as const, sites: each },
  }));
  expect(narrowPolicy(first!, second!).sites).toEqual(sites);
  expect(narrowPolicy(second!, first!).sites).toEqual(sites);
});
