import { definePlugin } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import type { TestKernel, TestKernelOptions } from "@gantry/plugin-testing";
import { errors } from "../../src/errors.ts";
import { openRecords } from "../../src/records/browser-records.ts";
import type { BrowserRecords } from "../../src/records/browser-records.ts";
import { recordEvents } from "../../src/records/events.ts";
import { createRecordRoutes } from "../../src/routes/record-routes.ts";

/** A kernel with the records only, and what other parts of the plugin use of them. */
export interface RecordsBench extends TestKernel {
  records(): BrowserRecords;
  /** Sends a body and returns the answer; fails on an error status. */
  send<Answer = Record<string, unknown>>(
    path: string,
    body?: object,
  ): Promise<Answer>;
  list<Item = Record<string, unknown>>(
    path: string,
    query?: Record<string, string | number>,
  ): Promise<{ items: Item[]; nextCursor: string | null }>;
}

/** A small picture: one red pixel. */
export const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/** An annotation as a client posts it. */
export const annotationOf = (fields: object = {}) => ({
  url: "https://shop.example/cart",
  title: "Cart",
  selector: "[data-testid=pay]",
  text: "Pay now",
  html: "<button>Pay now</button>",
  comment: "Make it larger",
  box: { x: 10, y: 20.5, width: 120, height: 32 },
  ...fields,
});

export async function startRecords(
  options: TestKernelOptions = {},
): Promise<RecordsBench> {
  let records: BrowserRecords | undefined;
  const plugin = definePlugin({
    id: "browser",
    api: 1,
    summary: "The records of the browser",
    mounts: ["/api/browser"],
    events: [...recordEvents],
    errors,
    async setup(ctx) {
      records = await openRecords(ctx);
      for (const route of createRecordRoutes(records)) ctx.route(route);
    },
  });
  const kernel = await startTestKernel([plugin], options);
  // A spread would evaluate the getters once, and a restart changes their values.
  return Object.assign(Object.create(kernel) as TestKernel, {
    records: () => records!,
    async send<Answer>(path: string, body: object = {}) {
      const answer = await kernel.api.post<Answer>(`/api/browser${path}`, body);
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      return answer.body;
    },
    async list<Item>(
      path: string,
      query: Record<string, string | number> = {},
    ) {
      const answer = await kernel.api.get<{
        items: Item[];
        nextCursor: string | null;
      }>(`/api/browser${path}`, query);
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      return answer.body;
    },
  });
}
