import { expect, test } from "vitest";
import { createStandInBrowser } from "./stand-in-browser.ts";
import { agentId, startTools } from "./support.ts";

/** Requests to Gantry's API that an agent might try with its key. */
const REQUESTS = [
  ["GET", "/api/browser/policies", undefined],
  ["GET", "/api/browser/questions", undefined],
  ["GET", "/api/browser/history", undefined],
  ["GET", "/api/events", undefined],
  ["GET", "/api/auth/sessions", undefined],
  [
    "PUT",
    `/api/browser/policies/${agentId}`,
    { tier: "full", sites: ["*"], ownServers: true },
  ],
] as const;

test("the key of an agent opens its tools and no operation of the daemon", async () => {
  const browser = createStandInBrowser();
  await using bench = await startTools({ open: async () => browser });
  await bench.allow({ tier: "read" });
  const { server } = (await bench.admit())!;
  const key = server.env["GANTRY_BROWSER_KEY"] ?? "";
  expect(key).toMatch(/^[\w-]{43}$/);
  const { api, stranger, url } = bench.kernel;
  const credentials: Record<string, string>[] = [
    { authorization: `Bearer ${key}` },
    { authorization: `Basic ${btoa(`gantry:${key}`)}` },
    { cookie: `gantry_session=${key}`, origin: url },
    { "x-gantry-token": key },
  ];
  for (const [method, path, body] of REQUESTS)
    for (const headers of credentials) {
      const answer = await stranger.request(method, path, { headers, body });
      const said = `${method} ${path} with ${JSON.stringify(headers)}`;
      expect([401, 403], said).toContain(answer.status);
    }
  const { status } = await stranger.get("/api/browser/policies", { key });
  expect(status).toBe(401);
  const { body } = await api.get<{ items: object[] }>("/api/browser/policies");
  expect(body.items).toMatchObject([{ agentId, tier: "read", sites: [] }]);
});
