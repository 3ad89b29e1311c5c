import { expect, test } from "vitest";
import { DownloadsChanged, PoliciesChanged } from "../../src/contract.ts";
import type { Download, Policy, SitePermission } from "../../src/contract.ts";
import { startRecords } from "./support.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const permission = (fields: object = {}) => ({
  origin: "https://maps.example",
  kind: "geolocation",
  decision: "allow",
  ...fields,
});

test("a download is recorded, moves on, ends, and is removed from the list", async () => {
  await using bench = await startRecords();
  const begun = await bench.send<Download>("/downloads", {
    url: "https://example.com/a.zip",
    fileName: "a\u202ezip.exe",
    totalBytes: 100,
  });
  expect(begun).toMatchObject({
    ...{ fileName: "azip.exe", state: "running", receivedBytes: 0 },
    ...{ totalBytes: 100, path: null, endedAt: null, problem: null },
  });
  const { id } = begun;
  const status = (fields: object) =>
    bench.send<Download>("/downloads/status", { id, ...fields });
  expect(await status({ receivedBytes: 40 })).toMatchObject({
    state: "running",
    receivedBytes: 40,
  });
  expect(await bench.send("/downloads/clear")).toEqual({ deleted: 0 });
  const ended = await status({ state: "completed", receivedBytes: 100 });
  expect(ended.endedAt).not.toBeNull();
  expect(
    await bench.api.post("/api/browser/downloads/status", {
      id: `dwn_${"a".repeat(24)}`,
      state: "completed",
    }),
  ).toMatchObject({
    status: 404,
    body: { code: "BROWSER_DOWNLOAD_NOT_FOUND" },
  });
  expect(await bench.send("/downloads/clear")).toEqual({ deleted: 1 });
  expect((await bench.list("/downloads")).items).toEqual([]);
});

test("the browser's own downloads are throttled, cancelled when removed, and failed by a stop", async () => {
  await using bench = await startRecords();
  const { downloads } = bench.records();
  const cancelled: string[] = [];
  downloads.onCancelled((id) => cancelled.push(id));
  const begin = (url: string) => downloads.begin({ url, fileName: "a.zip" });
  const removed = await begin("blob:https://example.com/0f");
  expect(removed.url).toBe("blob:");
  for (let received = 1; received <= 50; received++)
    await downloads.progress(removed.id, { receivedBytes: received });
  await bench.clock.advance(1000);
  await downloads.progress(removed.id, { receivedBytes: 60 });
  expect((await downloads.get(removed.id))?.receivedBytes).toBe(60);
  expect(bench.events.all(DownloadsChanged)).toHaveLength(3);
  await bench.api.delete(`/api/browser/downloads/${removed.id}`);
  expect(cancelled).toEqual([removed.id]);
  // The browser reports the end of a download whose record was already removed.
  await downloads.end(removed.id, { state: "cancelled" });

  await begin("https://example.com/a.zip");
  await bench.send("/downloads", {
    url: "https://example.com/of-another-browser.zip",
    fileName: "b.zip",
  });
  await bench.restart();
  expect((await bench.list<Download>("/downloads")).items).toMatchObject([
    { fileName: "b.zip", state: "running" },
    { fileName: "a.zip", state: "failed", problem: "Gantry was stopped." },
  ]);
});

test("there is one permission for each origin and kind, however often it is decided", async () => {
  await using bench = await startRecords();
  const changes: unknown[] = [];
  bench.records().permissions.onChange((change) => changes.push(change));
  const first = await bench.send<SitePermission>("/permissions", permission());
  const again = await bench.send<SitePermission>(
    "/permissions",
    permission({ origin: "https://maps.example/", decision: "deny" }),
  );
  expect(again).toMatchObject({
    ...{ id: first.id, revision: 2 },
    ...{ origin: "https://maps.example", decision: "deny" },
  });
  await Promise.all(
    ["videoCapture", "videoCapture", "videoCapture"].map((kind) =>
      bench.send("/permissions", permission({ kind })),
    ),
  );
  expect(
    (await bench.list<SitePermission>("/permissions")).items.map(
      ({ kind }) => kind,
    ),
  ).toEqual(["videoCapture", "geolocation"]);
  // Longer than any key of the store.
  await bench.send(
    "/permissions",
    permission({ origin: `https://${"a".repeat(900)}.example` }),
  );
  await bench.api.delete(`/api/browser/permissions/${first.id}`);
  expect(changes.at(-1)).toEqual({
    origin: "https://maps.example",
    kind: "geolocation",
    decision: null,
  });
  expect(await bench.send("/permissions/clear")).toEqual({ deleted: 2 });
});

test("permissions that no site needs any more are pruned", async () => {
  await using bench = await startRecords();
  await bench.send("/permissions", permission());
  await bench.send("/permissions", permission({ kind: "camera" }));
  await bench.clock.advance(6 * DAY_MS);
  const { permissions } = bench.records();
  expect(
    await permissions.find("https://maps.example", "camera"),
  ).toBeDefined();
  expect(
    await permissions.find("https://maps.example", "midi"),
  ).toBeUndefined();
  await bench.clock.advance(2 * DAY_MS);
  expect(
    await bench.api.post("/api/browser/permissions/prune", { days: 6 }),
  ).toMatchObject({ status: 400, body: { code: "INPUT_INVALID" } });
  expect(await bench.send("/permissions/prune", { days: 7 })).toEqual({
    deleted: 1,
  });
  expect((await bench.list("/permissions")).items).toMatchObject([
    { kind: "camera" },
  ]);
});

test("policies are listed, apply at once, and are deleted with their agent", async () => {
  await using bench = await startRecords();
  const { policies } = bench.records();
  const changed: unknown[] = [];
  policies.onChange((policy) => changed.push(policy));
  const rules = {
    ...{ agentId: "agt_one", tier: "act" as const },
    ...{ sites: ["*.example.com"], ownServers: true },
  };
  expect(policies.get("agt_one")).toMatchObject({ tier: "none", sites: [] });
  await policies.put(rules);
  await policies.put({ ...rules, tier: "read" }, 1);
  await expect(policies.put(rules, 1)).rejects.toMatchObject({
    code: "STALE_REVISION",
  });
  expect(policies.get("agt_one")).toEqual({ ...rules, tier: "read" });
  await bench.restart();
  const next = bench.records().policies;
  expect(next.get("agt_one")).toEqual({ ...rules, tier: "read" });
  expect((await bench.list<Policy>("/policies")).items).toMatchObject([
    { agentId: "agt_one", tier: "read", revision: 2 },
  ]);
  await next.remove("agt_one");
  await next.remove("agt_one");
  expect(next.get("agt_one").tier).toBe("none");
  expect((await bench.list("/policies")).items).toEqual([]);
  expect(changed).toHaveLength(2);
  expect(bench.events.all(PoliciesChanged)).toHaveLength(3);
});
