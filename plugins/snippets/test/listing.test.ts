import { expect, test } from "vitest";
import type { Snippet } from "../src/contract.ts";
import { startSnippets } from "./support/snippets.ts";

test("a search looks at title, slug, tags, description and body, word by word", async () => {
  await using kernel = await startSnippets();
  await kernel.save({ title: "Alpha", slug: "first", body: "one" });
  await kernel.save({
    title: "Beta",
    slug: "second",
    tags: ["Release"],
    body: "two",
  });
  await kernel.save({
    title: "Gamma",
    slug: "third",
    description: "Great help",
    body: "three",
  });
  await kernel.save({
    title: "Delta",
    slug: "fourth",
    kind: "command",
    tags: ["release"],
    body: "Run ÄRGER {{x}}",
  });
  const titles = async (query: Record<string, string>) =>
    (await kernel.list(query)).map(({ title }) => title);
  expect(await titles({})).toEqual(["Delta", "Gamma", "Beta", "Alpha"]);
  expect(await titles({ q: "alpHA" })).toEqual(["Alpha"]);
  expect(await titles({ q: "second" })).toEqual(["Beta"]);
  expect(await titles({ q: "release" })).toEqual(["Delta", "Beta"]);
  expect(await titles({ q: "help" })).toEqual(["Gamma"]);
  expect(await titles({ q: "ärger" })).toEqual(["Delta"]);
  expect(await titles({ q: " {{x}}  run " })).toEqual(["Delta"]);
  expect(await titles({ q: "alpha beta" })).toEqual([]);
  expect(await titles({ q: "a", kind: "command" })).toEqual(["Delta"]);
  expect(await titles({ tag: "RELEASE" })).toEqual(["Delta", "Beta"]);
  expect(await titles({ tag: "rel" })).toEqual([]);
  expect(await titles({ tag: "release", kind: "prompt" })).toEqual(["Beta"]);
});

test("a search finds what stands at the end of the longest body", async () => {
  await using kernel = await startSnippets();
  const long = await kernel.save({ body: `${"x ".repeat(49_995)}needle` });
  await kernel.save();
  expect(await kernel.list({ q: "needle" })).toEqual([long]);
  await kernel.api.patch(`/api/snips/${long.id}`, { body: "short" });
  expect(await kernel.list({ q: "needle" })).toEqual([]);
});

test("a list is read page by page without a gap or a repeat, also while snippets go", async () => {
  await using kernel = await startSnippets();
  // All of one moment: their order is by id then.
  await Promise.all(
    Array.from({ length: 5 }, (_, index) =>
      kernel.api.post("/api/snips", { title: `Same ${index}`, body: "x" }),
    ),
  );
  await kernel.clock.advance(1000);
  for (let index = 0; index < 2; index += 1) await kernel.save();
  const all = await kernel.list();
  const seen: Snippet[] = [];
  let cursor: string | undefined;
  do {
    const page = await kernel.api.get<{
      items: Snippet[];
      nextCursor: string | null;
    }>("/api/snips", { q: "s", limit: 3, cursor });
    seen.push(...page.body.items);
    cursor = page.body.nextCursor ?? undefined;
    // The one that the cursor names is gone when the next page is asked for.
    if (cursor) await kernel.api.delete(`/api/snips/${seen.at(-1)?.id}`);
  } while (cursor);
  expect(seen).toEqual(all);
});

const NO_QUERIES = [
  "limit=0",
  "limit=501",
  "limit=x",
  "cursor=nonsense",
  "cursor=",
  "kind=script",
  "color=red",
  "q=a&q=b",
  `q=${"x".repeat(1001)}`,
];

test("a query that is none is refused", async () => {
  await using kernel = await startSnippets();
  await kernel.save();
  for (const query of NO_QUERIES)
    expect(await kernel.api.get(`/api/snips?${query}`), query).toMatchObject({
      status: 400,
    });
});

test("after a restart the list, one kind of it and a search find what was saved, page by page", async () => {
  await using kernel = await startSnippets();
  for (const kind of ["prompt", "command", "prompt", "prompt"])
    await kernel.save({ kind, body: "findable" });
  const all = await kernel.list();
  const prompts = all.filter(({ kind }) => kind === "prompt");
  await kernel.restart();
  const readPages = async (query: Record<string, string>) => {
    const seen: Snippet[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await kernel.api.get<{
        items: Snippet[];
        nextCursor: string | null;
      }>("/api/snips", { ...query, limit: 1, cursor });
      expect(body.items).toHaveLength(1);
      seen.push(...body.items);
      cursor = body.nextCursor ?? undefined;
    } while (cursor);
    return seen;
  };
  expect(await readPages({})).toEqual(all);
  expect(await readPages({ kind: "prompt" })).toEqual(prompts);
  expect(await readPages({ q: "findable" })).toEqual(all);
  expect(await kernel.list({ limit: 500 })).toEqual(all);
});

test("the first search sees what is saved, changed and deleted while it reads the snippets", async () => {
  await using kernel = await startSnippets();
  const saved: Snippet[] = [];
  for (let index = 0; index < 4; index += 1)
    saved.push(await kernel.save({ body: "old" }));
  await kernel.restart();
  const [gone, changed] = saved;
  const [, , , added] = await Promise.all([
    kernel.list({ q: "old" }),
    kernel.api.delete(`/api/snips/${gone!.id}`),
    kernel.api.patch(`/api/snips/${changed!.id}`, { body: "new" }),
    kernel.save({ body: "new" }),
  ]);
  const ids = async (q: string) =>
    (await kernel.list({ q })).map(({ id }) => id).sort();
  expect(await ids("old")).toEqual([saved[2]!.id, saved[3]!.id].sort());
  expect(await ids("new")).toEqual([changed!.id, added.id].sort());
});
