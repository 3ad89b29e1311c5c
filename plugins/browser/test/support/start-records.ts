import { createIdentifier } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import type { TestAnswer, TestKernel } from "@gantry/plugin-testing";
import browser from "../../src/index.ts";

/** A kernel with the plugin, and short ways to call it. */
export interface RecordsBench extends TestKernel {
  /** Sends a body and returns the answer, whatever its status. Paths are below `/api/browser`. */
  post(path: string, body?: object): Promise<TestAnswer>;
  remove(path: string, revision?: number): Promise<TestAnswer>;
  /** Sends a body and returns what was made of it. Rejects for an error. */
  add<Item = { id: string }>(path: string, body?: object): Promise<Item>;
  list<Item = Record<string, unknown>>(
    path: string,
    query?: Record<string, string | number>,
  ): Promise<{ items: Item[]; nextCursor: string | null }>;
}

/** A picture of one red pixel, as a PNG. */
export const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

export const AGENT_ID = createIdentifier("agt");

/** Bodies of the operations that add a record, by their paths. */
export const BODIES: Readonly<Record<string, object>> = {
  "/annotations": {
    url: "https://shop.example/cart",
    title: "Cart",
    selector: "[data-testid=pay]",
    text: "Pay now",
    comment: "Make it larger",
    box: { x: 10, y: 20.5, width: 120, height: 32 },
    styles: [{ name: "color", value: "rgb(0, 0, 0)" }],
    screenshot: null,
  },
  "/developer/audit": {
    agentId: AGENT_ID,
    method: "Page.navigate",
    verdict: "refused",
    reason: "shop.example is not among its sites.",
  },
  "/downloads": {
    url: "https://shop.example/a.zip",
    fileName: "a.zip",
    totalBytes: 100,
    agentId: AGENT_ID,
  },
  "/history": {
    url: "https://shop.example/",
    title: "Shop",
    agentId: AGENT_ID,
  },
  "/permissions": {
    origin: "https://shop.example",
    kind: "geolocation",
    decision: "allow",
  },
};

/** The body of an operation that adds a record, with other fields. */
export const bodyOf = (path: string, fields: object = {}) => ({
  ...BODIES[path],
  ...fields,
});

/** Starts a kernel with the plugin. */
export async function startRecords(
  beside: readonly PluginDefinition[] = [],
): Promise<RecordsBench> {
  const kernel = await startTestKernel([...beside, browser]);
  const { api } = kernel;
  function bodyOrThrow<Body>({ status, body }: TestAnswer): Body {
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body as Body;
  }
  // A spread would evaluate the getters once, and a restart changes their values.
  return Object.assign(Object.create(kernel) as TestKernel, {
    post: (path: string, body: object = {}) =>
      api.post(`/api/browser${path}`, body),
    remove: (path: string, revision?: number) =>
      api.request("DELETE", `/api/browser${path}`, {
        headers: revision === undefined ? {} : { "if-match": `"${revision}"` },
      }),
    add: async <Item>(path: string, body: object = {}) =>
      bodyOrThrow<Item>(await api.post(`/api/browser${path}`, body)),
    list: async <Item>(
      path: string,
      query: Record<string, string | number> = {},
    ) =>
      bodyOrThrow<{ items: Item[]; nextCursor: string | null }>(
        await api.get(`/api/browser${path}`, query),
      ),
  });
}
