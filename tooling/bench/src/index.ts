import {
  createIdentifier,
  defineEvent,
  definePlugin,
  defineRoute,
} from "@gantry/plugin";
import type { StoreOperation } from "@gantry/plugin";
import { okAnswer, pageOf, pageQuery, storedFields } from "@gantry/plugin/zod";
import * as z from "zod";

const Item = z.object({ ...storedFields, title: z.string(), text: z.string() });
type Item = z.infer<typeof Item>;
const input = z.strictObject({
  title: z.string().min(1).max(200),
  text: z.string().max(2000),
});

const ItemAdded = defineEvent<{ title: string }>(
  "bench.item-added",
  "An item was added.",
);

/** Records written in one batch while a list is filled. */
const SEED_BATCH = 500;

/** A small plugin as any other: a route that writes a record with its event, and lists of two lengths. */
export default definePlugin({
  id: "bench",
  api: 1,
  summary: "Records to write and to list while the daemon is measured",
  mounts: ["/api/bench"],
  events: [ItemAdded],
  setup({ store, ...ctx }) {
    const open = (name: string) =>
      store.collection<Item>({ name, version: 1, schema: Item });
    const lists = {
      written: open("written"),
      short: open("short"),
      long: open("long"),
    };
    const listName = z.enum(["written", "short", "long"]);

    ctx.route(
      defineRoute({
        method: "POST",
        path: "/api/bench/items",
        summary: "Add an item",
        access: "session",
        body: input,
        returns: Item,
        handle: ({ body }) => {
          const id = createIdentifier("bch");
          return lists.written.insert(
            { id, ...body },
            { events: [ItemAdded.of(id, { title: body.title })] },
          );
        },
      }),
    );
    ctx.route(
      defineRoute({
        method: "GET",
        path: "/api/bench/items",
        summary: "The items of a list",
        access: "session",
        query: pageQuery.extend({ list: listName }),
        returns: pageOf(Item),
        handle: ({ query: { list, ...page } }) => lists[list].list(page),
      }),
    );
    ctx.route(
      defineRoute({
        method: "POST",
        path: "/api/bench/run",
        summary: "Run a program to its end",
        access: "session",
        body: z.strictObject({ times: z.number().int().min(1).max(1000) }),
        returns: z.object({ ms: z.number() }),
        async handle({ body: { times } }) {
          const file = await ctx.run.find("true");
          if (!file) throw new Error("There is no program `true`.");
          const begin = performance.now();
          for (let time = 0; time < times; time++)
            await ctx.run.collect(file, []);
          return { ms: (performance.now() - begin) / times };
        },
      }),
    );
    ctx.route(
      defineRoute({
        method: "POST",
        path: "/api/bench/seed",
        summary: "Fill a list",
        access: "session",
        body: z.strictObject({
          list: listName,
          from: z.number().int(),
          count: z.number().int().max(SEED_BATCH),
        }),
        returns: okAnswer,
        async handle({ body: { list, from, count } }) {
          const operations = Array.from(
            { length: count },
            (_, index): StoreOperation[] => {
              const number = from + index;
              const createdAt = new Date(
                Date.UTC(2026, 0, 1) + number * 1000,
              ).toISOString();
              return lists[list].toInsert({
                id: createIdentifier("bch"),
                title: `Item ${number}`,
                text: "The quick brown fox jumps over the lazy dog. ".repeat(4),
                createdAt,
              }).operations;
            },
          );
          await store.batch(operations.flat());
          return { ok: true as const };
        },
      }),
    );
  },
});
