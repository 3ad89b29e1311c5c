import { createIdentifier } from "@gantry/plugin";
import { AgentDeleted } from "@gantry/plugin-agents/contract";
import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import { PoliciesChanged } from "../src/contract.ts";
import type { Policy } from "../src/contract.ts";
import { normalizeSite } from "../src/records/normalize-site.ts";
import { anyText } from "./support/any-text.ts";
import { createAgents } from "./support/create-agents.ts";
import { AGENT_ID, startRecords } from "./support/start-records.ts";

const PATH = `/api/browser/policies/${AGENT_ID}`;

const createAgent = () => createAgents({ id: AGENT_ID, name: "Ada" });

test("a policy is set, replaced, listed, and removed with its agent", async () => {
  const agents = createAgent();
  await using bench = await startRecords([agents.plugin]);
  const { api } = bench;
  expect(
    await api.put(PATH, {
      tier: "act",
      sites: ["https://Example.com/", "example.com", "*.example.org"],
    }),
  ).toMatchObject({
    status: 200,
    body: {
      ...{ agentId: AGENT_ID, tier: "act", revision: 1 },
      sites: ["example.com", "*.example.org"],
    },
  });
  const headers = { "if-match": '"1"' };
  expect(await api.put(PATH, { tier: "read" }, headers)).toMatchObject({
    body: { tier: "read", sites: [], ownServers: false, revision: 2 },
  });
  expect(await api.put(PATH, { tier: "full" }, headers)).toMatchObject({
    status: 412,
    body: { code: "STALE_REVISION" },
  });
  await bench.restart();
  expect((await bench.list<Policy>("/policies", { q: "READ" })).items).toEqual([
    expect.objectContaining({ agentId: AGENT_ID, tier: "read", revision: 2 }),
  ]);
  // The hyphen is in no id, where these letters may be.
  expect((await bench.list("/policies", { q: "act-" })).items).toEqual([]);

  const removed = bench.events.next(PoliciesChanged);
  await agents.emit(AgentDeleted.of(AGENT_ID, { name: "Ada" }));
  expect(await removed).toMatchObject({ data: { change: "removed" } });
  expect((await bench.list("/policies")).items).toEqual([]);
});

test("a policy needs an agent, a tier and sites that are sites", async () => {
  const agents = createAgent();
  await using bench = await startRecords([agents.plugin]);
  const { api } = bench;
  for (const id of [createIdentifier("agt"), "agt_x", "..%2f", "%00"])
    expect(
      await api.put(`/api/browser/policies/${id}`, { tier: "read" }),
    ).toMatchObject({ status: 404, body: { code: "BROWSER_AGENT_NOT_FOUND" } });
  for (const [body, path] of [
    [{}, "tier"],
    [{ tier: "root" }, "tier"],
    [{ tier: "read", sites: ["example.com/path"] }, "sites.0"],
    [{ tier: "read", sites: ["a.example", "file:///etc"] }, "sites.1"],
    [{ tier: "read", sites: "*" }, "sites"],
    [{ tier: "read", sites: Array(201).fill("a.example") }, "sites"],
    [{ tier: "read", ownServers: "5173" }, "ownServers"],
    [{ tier: "read", owner: 1 }, "owner"],
  ] as const)
    expect(await api.put(PATH, body), path).toMatchObject({
      status: 400,
      body: { code: "INPUT_INVALID", errors: [{ path }] },
    });
  expect((await bench.list("/policies")).items).toEqual([]);
});

test("a policy of before there were own servers allows none", async () => {
  const agents = createAgent();
  await using bench = await startRecords([agents.plugin]);
  await bench.api.put(PATH, { tier: "act", ownServers: true });
  const { engine } = bench.kernel.foundation.core;
  const [key = ""] = (await engine.keys("browser:policy:")).filter((each) =>
    each.endsWith(AGENT_ID),
  );
  const stored = (await engine.get(key)) as { v: number; data: Policy };
  expect(stored.v).toBe(2);
  const { ownServers: _, ...data } = stored.data;
  await engine.commit([{ type: "set", key, value: { ...stored, v: 1, data } }]);
  await bench.restart();
  expect((await bench.list<Policy>("/policies")).items).toMatchObject([
    { tier: "act", ownServers: false },
  ]);
});

test("without the agents plugin a policy cannot be set, and the rest works", async () => {
  await using bench = await startRecords();
  expect(await bench.api.put(PATH, { tier: "read" })).toMatchObject({
    status: 503,
    body: {
      code: "BROWSER_AGENTS_MISSING",
      detail: expect.stringContaining("agents.messages@1") as string,
    },
  });
  expect((await bench.list("/policies")).items).toEqual([]);
});

describe("a site is normalised", () => {
  test.each([
    [" Example.COM ", "example.com"],
    ["https://example.com/", "example.com"],
    ["example.com.", "example.com"],
    ["*.Example.com:8443", "*.example.com:8443"],
    ["*", "*"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["LOCALHOST:03000", "localhost:3000"],
    ["http://127.1:5173", "localhost:5173"],
    ["app.localhost:80", "localhost:80"],
    ["[::1]:80", "localhost:80"],
    ["10.0.0.1:80", "10.0.0.1:80"],
    ["[2001:DB8::1]", "[2001:db8::1]"],
  ])("%s is %s", (text, site) => {
    expect(normalizeSite(text)).toBe(site);
  });

  test.each([
    ...[
      "",
      " ",
      "*.",
      "*.*",
      "**",
      "a*.example",
      "https://",
      "ftp://a.example",
    ],
    ...["example.com/a", "example.com?a", "example.com#a", "u@example.com"],
    ...["a.example:0", "a.example:65536", "a.example:", "a.example:x", "a:1:2"],
    ...["localhost", "127.0.0.1", "*.localhost:80", "*.10.0.0.1", "[::1"],
    ...["a b.example", "a\u0000.example", "javascript:alert(1)", "1.2.3.4.5"],
  ])("%j is none", (text) => {
    expect(normalizeSite(text)).toBeUndefined();
  });

  test("what was normalised stays as it is, whatever it was before", () => {
    const host = fc.oneof(
      fc.stringMatching(/^[a-zA-Z\u00df-\u00ff0-9_.-]{1,12}$/u),
      fc.ipV4(),
      fc.ipV6().map((address) => `[${address}]`),
      anyText(20),
    );
    const suffix = fc.oneof(
      fc.constant(""),
      fc.nat(70_000).map((n) => `:${n}`),
    );
    const text = fc
      .tuple(fc.constantFrom("", "*.", "https://"), host, suffix)
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (input) => {
        const site = normalizeSite(input);
        if (site === undefined) return;
        expect(normalizeSite(site)).toBe(site);
        expect(site).toMatch(/^[\x21-\x7e]+$/u);
      }),
      { numRuns: runs(500) },
    );
  });
});
