import { expect } from "vitest";
import type { ApiClient } from "../../support/api-client.ts";

/** A picture of one pixel. */
const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Bodies that the operations on records of the work browser take, by their paths. */
export const browserBodies = {
  "/api/browser/annotations": {
    url: "https://shop.example.com/cart",
    title: "Cart",
    selector: "#total",
    text: "Total",
    html: "<b id=total>Total</b>",
    styles: [{ name: "color", value: "red" }],
    comment: "Too red",
    box: { x: 1, y: 2, width: 3, height: 4 },
    screenshot: PIXEL,
  },
  "/api/browser/downloads": {
    url: "https://shop.example.com/invoice.pdf",
    fileName: "invoice.pdf",
    totalBytes: 10,
  },
  "/api/browser/downloads/clear": {},
  "/api/browser/downloads/status": {
    id: `dwn_${"a".repeat(24)}`,
    state: "failed",
    problem: "The server ended it",
  },
  "/api/browser/history": {
    url: "https://shop.example.com/",
    title: "Shop",
    typed: true,
  },
  "/api/browser/history/clear": { since: "2999-01-01T00:00:00.000Z" },
  "/api/browser/history/delete": { ids: [`vis_${"a".repeat(24)}`] },
  "/api/browser/permissions": {
    origin: "https://shop.example.com",
    kind: "geolocation",
    decision: "deny",
  },
  "/api/browser/permissions/clear": {},
  "/api/browser/permissions/prune": { days: 3650 },
} as const satisfies Record<string, object>;

/** The lists that these operations add to. */
export const BROWSER_LISTS = [
  "/api/browser/annotations",
  "/api/browser/downloads",
  "/api/browser/history",
  "/api/browser/permissions",
] as const;

/** Gives the work browser a record of each kind, and an agent that may read in it. */
export async function fillBrowser(
  api: ApiClient,
  agentId: string,
): Promise<void> {
  for (const path of BROWSER_LISTS) {
    const { status } = await api.call("POST", path, browserBodies[path]);
    expect(status, path).toBe(200);
  }
  const policy = { tier: "read", sites: ["shop.example.com"] };
  const path = `/api/browser/policies/${agentId}`;
  expect((await api.call("PUT", path, policy)).status).toBe(200);
}
