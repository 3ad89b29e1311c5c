import { expect } from "vitest";
import type { ApiClient } from "../../support/api-client.ts";

const url = "https://shop.example/";
const RECORDS: Readonly<Record<string, object>> = {
  annotations: {
    ...{ url, title: "Cart", selector: "#total", comment: "Too red" },
    box: { x: 1, y: 2, width: 3, height: 4 },
  },
  downloads: { url, fileName: "invoice.pdf" },
  history: { url, title: "Shop" },
  permissions: {
    ...{ origin: url, kind: "geolocation", decision: "deny" },
  },
};

/** Adds a record of each kind, and a policy for the agent. */
export async function fillBrowser(
  api: ApiClient,
  agentId: string,
): Promise<void> {
  const call = async (method: string, path: string, body: object) => {
    const answer = await api.call(method, `/api/browser/${path}`, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  };
  for (const [path, body] of Object.entries(RECORDS))
    await call("POST", path, body);
  await call("PUT", `policies/${agentId}`, {
    ...{ tier: "read", sites: ["shop.example"] },
  });
  await call("POST", "developer/audit", {
    ...{ agentId, method: "Page.navigate", verdict: "refused" },
  });
}
