import { definePlugin } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import { startTestKernel } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import * as z from "zod";
import { openRecordLog } from "../../src/records/record-log.ts";
import type { LogRecord, RecordLog } from "../../src/records/record-log.ts";
import type { AuditEntry } from "../../src/contract.ts";
import { startRecords } from "./support.ts";

const schema = z.object({
  ...storedFields,
  sequence: z.number(),
});

test("a log keeps the newest records, also across a restart", async () => {
  let log: RecordLog<LogRecord> | undefined;
  const removed: string[] = [];
  const plugin = definePlugin({
    id: "logs",
    api: 1,
    summary: "A log with room for five",
    mounts: [],
    async setup({ store }) {
      log = await openRecordLog<LogRecord>({
        store,
        definition: { name: "entry", version: 1, schema },
        max: 5,
        onRemoved: (records) => removed.push(...records.map(({ id }) => id)),
      });
    },
  });
  await using kernel = await startTestKernel([plugin]);
  const add = (...ids: string[]) =>
    log!.serial(() => log!.add(ids.map((id) => ({ id }))));
  const ids = async () =>
    (await log!.list({ limit: 50 })).items.map(({ id }) => id);

  await add("a", "b", "c");
  await add("d", "e", "f");
  expect(await ids()).toEqual(["f", "e", "d", "c", "b"]);
  await kernel.restart();
  await add("g");
  expect(await ids()).toEqual(["g", "f", "e", "d", "c"]);
  await log!.remove("e", {});
  await add("h");
  expect(await ids()).toEqual(["h", "g", "f", "d", "c"]);
  expect(await log!.removeWhere(({ id }) => id < "g", [])).toBe(3);
  await add("i", "j", "k");
  expect(await ids()).toEqual(["k", "j", "i", "h", "g"]);
  expect(removed).toEqual(["a", "b", "e", "f", "d", "c"]);
});

test("the audit keeps 5,000 entries and is searched by agent, verdict and words", async () => {
  await using bench = await startRecords();
  const { audit } = bench.records();
  const entry = (index: number) => ({
    agentId: index % 2 ? "agt_odd" : "agt_even",
    method: `Page.call${index}`,
    verdict: index % 10 ? ("allowed" as const) : ("refused" as const),
    reason: index % 10 ? null : "Not\u202e a site\nof this agent.",
    at: "2026-03-02T12:00:00.000Z",
    count: 1,
  });
  await audit.append(Array.from({ length: 5040 }, (_, index) => entry(index)));
  let count = 0;
  let cursor: string | null = null;
  let last: AuditEntry | undefined;
  do {
    const page: { items: AuditEntry[]; nextCursor: string | null } =
      await bench.list<AuditEntry>("/developer/audit", {
        limit: 500,
        ...(cursor !== null && { cursor }),
      });
    count += page.items.length;
    last = page.items.at(-1) ?? last;
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(count).toBe(5000);
  expect(last?.method).toBe("Page.call40");
  const { items } = await bench.list<AuditEntry>("/developer/audit", {
    ...{ limit: 2, verdict: "refused", agentId: "agt_even", q: "agent page" },
  });
  expect(items).toMatchObject([
    { method: "Page.call5030", reason: "Not a site of this agent." },
    { method: "Page.call5020" },
  ]);
});
