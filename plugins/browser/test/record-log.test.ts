import { definePlugin } from "@gantry/plugin";
import type { StoredRecord } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import { startTestKernel } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import * as z from "zod";
import { openRecordLog } from "../src/records/record-log.ts";
import type { RecordLog } from "../src/records/record-log.ts";

test("a log keeps the newest records with what is beside them, also across a restart", async () => {
  let log: RecordLog<StoredRecord> | undefined;
  let listKeys: (() => Promise<string[]>) | undefined;
  const besideOf = (id: string) => `beside:${id}`;
  const plugin = definePlugin({
    id: "logs",
    api: 1,
    summary: "A log with room for five",
    mounts: [],
    async setup({ store }) {
      listKeys = () => store.keys("beside:");
      log = await openRecordLog<StoredRecord>({
        ...{ store, name: "entry", version: 1, max: 5 },
        schema: z.object(storedFields),
        textsOf: ({ id }) => [id],
        changed: undefined,
        toRemoveBeside: (id) =>
          Promise.resolve([{ type: "remove", key: besideOf(id) }]),
      });
    },
  });
  await using kernel = await startTestKernel([plugin]);
  const add = async (...ids: string[]) => {
    for (const id of ids)
      await log!.exclusive(() =>
        log!.add({ id }, [
          { type: "set", key: besideOf(id), value: { of: id } },
        ]),
      );
  };
  const expectIds = async (...ids: string[]) => {
    const { items } = await log!.list({ limit: 50 });
    expect(items.map(({ id }) => id)).toEqual(ids);
    expect(await listKeys!()).toEqual([...ids].sort().map(besideOf));
  };

  // Each task sees what the one before has written.
  const addFirst = () =>
    log!.exclusive(
      async () => (await log!.newest()) ?? log!.add({ id: "first" }),
    );
  await Promise.all([addFirst(), addFirst(), addFirst()]);
  expect(await log!.remove("first")).toBe(true);

  await add("a", "b", "c", "d", "e", "f");
  await expectIds("f", "e", "d", "c", "b");
  await kernel.restart();
  await add("g");
  await expectIds("g", "f", "e", "d", "c");
  expect(await log!.remove("e")).toBe(true);
  expect(await log!.remove("e")).toBe(false);
  await add("h");
  await expectIds("h", "g", "f", "d", "c");
  expect(await log!.removeWhere(({ id }) => id < "g")).toBe(3);
  await add("i", "j", "k", "l");
  await expectIds("l", "k", "j", "i", "h");
  await log!.exclusive(() => log!.addAll(["m", "n"].map((id) => ({ id }))));
  expect((await log!.list({ limit: 50 })).items).toMatchObject(
    ["n", "m", "l", "k", "j"].map((id) => ({ id })),
  );
});
