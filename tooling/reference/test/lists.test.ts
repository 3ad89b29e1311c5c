import type { TestKernel } from "@gantry/plugin-testing";
import { startTestKernel } from "@gantry/plugin-testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadPlugins } from "../src/areas.ts";

interface Schema {
  $ref?: string;
  type?: unknown;
  properties?: Record<string, Schema>;
}

interface Operation {
  parameters?: { name: string; in: string }[];
  responses: { "200": { content: Record<string, { schema: Schema }> } };
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** Answers with items that are no lists in the sense of the API: one thing with parts, or figures over a range. */
const NO_LISTS = new Map([
  [
    "/api/agents/{id}/browse",
    "one level of a folder, `truncated` if too large",
  ],
  ["/api/agents/{id}/checklist", "the plan of one agent"],
  ["/api/agents/{id}/git/discards", "at most fifty, since the last commit"],
  ["/api/agents/{id}/files", "the twenty best hits of a search"],
  ["/api/agents/{id}/slash", "what one CLI offers"],
  ["/api/apps", "all apps, of which each plugin has few"],
  ["/api/automations/results", "sums over a range of days"],
  ["/api/browser/servers", "all that one agent runs, which are few"],
  ["/api/browser/questions", "what agents wait for, one each"],
  ["/api/browser/tabs", "all tabs, of which four browsers have few"],
  ["/api/events/log", "continues with `after`, the number of an event"],
  ["/api/usage", "sums over a range of days"],
]);

let kernel: TestKernel;
let lists: string[];

beforeAll(async () => {
  const plugins = await loadPlugins();
  kernel = await startTestKernel(plugins.map(({ definition }) => definition));
  for (const device of ["Phone", "Tablet", "Laptop", "Desk"])
    await kernel.pairAs(device);
  const { body } = await kernel.api.get<OpenApi>("/api/openapi.json");
  const resolve = (schema: Schema | undefined): Schema | undefined =>
    schema?.$ref === undefined
      ? schema
      : body.components.schemas[schema.$ref.split("/").at(-1) ?? ""];
  lists = Object.entries(body.paths).flatMap(([path, { get }]) => {
    const json = get?.responses["200"].content["application/json"];
    const items = resolve(json?.schema)?.properties?.items;
    return resolve(items)?.type === "array" ? [path] : [];
  });
});
afterAll(() => kernel.stop());

test("every operation that answers with items is a list, or is known to be none", () => {
  expect(lists.length).toBeGreaterThan(15);
  expect([...NO_LISTS.keys()].filter((path) => !lists.includes(path))).toEqual(
    [],
  );
});

test("every list takes limit and cursor, and refuses what is neither", async () => {
  for (const path of lists) {
    if (NO_LISTS.has(path)) continue;
    // A list of something that is not there is a 404, whatever its query.
    const address = path.replace(/\{\w+\}/g, "none");
    const isPart = address !== path;
    const ask = (query: Record<string, string>) =>
      kernel.api.get<{ items: unknown[]; nextCursor: string | null }>(
        address,
        query,
      );
    const first = await ask({ limit: "1" });
    if (isPart) {
      expect(first, path).toMatchObject({ status: 404 });
      continue;
    }
    expect(first, path).toMatchObject({ status: 200 });
    expect(first.body.items.length, path).toBeLessThanOrEqual(1);
    for (const limit of ["0", "501", "x", "1.5", ""])
      expect(await ask({ limit }), `${path} ${limit}`).toMatchObject({
        status: 400,
        body: { code: "INPUT_INVALID" },
      });
    expect(await ask({ cursor: "lost" }), path).toMatchObject({
      status: 400,
      body: { code: expect.stringMatching(/CURSOR/) as string },
    });
    const read: unknown[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const { body } = await ask(
        cursor ? { limit: "2", cursor } : { limit: "2" },
      );
      read.push(...body.items);
      cursor = body.nextCursor;
    }
    expect(read, path).toEqual((await ask({ limit: "500" })).body.items);
  }
});
