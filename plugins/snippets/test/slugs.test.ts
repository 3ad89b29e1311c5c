import { expect, test } from "vitest";
import type { Snippet } from "../src/contract.ts";
import { startSnippets } from "./support/snippets.ts";

/** Spellings of what is no slug, and why each is here. */
const NO_SLUGS = {
  empty: "",
  "65 characters": "x".repeat(65),
  "composed and decomposed é": "caf\u00e9",
  decomposed: "cafe\u0301",
  "Turkish İ": "\u0130stanbul",
  "zero width": "re\u200bview",
  "Cyrillic look-alike": "r\u0435view",
  "right to left": "\u202ereview",
  "a parent folder": "..",
  "a path": "a/b",
  "an escape": "a%2fb",
  "a space": "re view",
  "a line": "review\n",
  underscore: "re_view",
  "5 KB": "\ufdfa".repeat(600),
};

test("what is no slug is refused by the check and by saving alike", async () => {
  await using kernel = await startSnippets();
  const saved = await kernel.save({ slug: "kept" });
  const code = "SNIPPET_SLUG_INVALID";
  for (const [why, slug] of Object.entries(NO_SLUGS)) {
    const answers = [
      await kernel.api.post("/api/snips", { body: "x", slug }),
      await kernel.api.patch(`/api/snips/${saved.id}`, { slug }),
    ];
    for (const answer of answers)
      expect(answer, why).toMatchObject({ status: 400, body: { code } });
    // Clients resolve "..", and a path without a slug is another one.
    if (slug === "" || slug === "..") continue;
    const path = `/api/snips/slug/${encodeURIComponent(slug)}`;
    expect(await kernel.api.get(path), why).toMatchObject({ status: 400 });
  }
  expect(await kernel.list()).toEqual([saved]);
});

test("spellings of one slug are one", async () => {
  await using kernel = await startSnippets();
  const saved = await kernel.save({ slug: "ｋｅｌｖｉｎ" });
  expect(saved.slug).toBe("kelvin");
  for (const slug of ["kelvin", "KELVIN", "\u212aelvin", "ｋelvin"]) {
    expect(
      await kernel.api.post("/api/snips", { body: "x", slug }),
    ).toMatchObject({
      status: 409,
      body: {
        code: "SNIPPET_SLUG_TAKEN",
        detail: expect.stringContaining(saved.id) as string,
      },
    });
    expect(
      await kernel.api.get(`/api/snips/slug/${encodeURIComponent(slug)}`),
    ).toMatchObject({
      status: 200,
      body: {
        slug: "kelvin",
        available: false,
        clash: { id: saved.id, title: saved.title },
      },
    });
  }
});

test("the check says where a snippet is sent, and never that it clashes with itself", async () => {
  await using kernel = await startSnippets();
  const saved = await kernel.save({ slug: "mine", title: "Mine" });
  const check = async (slug: string, query: Record<string, string> = {}) =>
    (await kernel.api.get(`/api/snips/slug/${slug}`, query)).body;
  const free = { available: true, clash: null };
  expect(await check("free")).toEqual({
    slug: "free",
    ...free,
    target: "composer",
  });
  expect(await check("free", { kind: "command" })).toMatchObject({
    target: "terminal",
  });
  expect(await check("mine")).toMatchObject({
    available: false,
    clash: { id: saved.id, title: "Mine" },
  });
  expect(await check("mine", { except: saved.id })).toMatchObject(free);
  expect(
    await kernel.api.patch(`/api/snips/${saved.id}`, {
      slug: "MINE",
      title: "Still mine",
    }),
  ).toMatchObject({ status: 200, body: { slug: "mine" } });
  expect(await check("mine")).toMatchObject({ clash: { title: "Still mine" } });
  expect(
    (await kernel.api.get("/api/snips/slug/mine", { kind: "x" })).status,
  ).toBe(400);
});

test("a slug that was left is free, and the new one is taken", async () => {
  await using kernel = await startSnippets();
  const one = await kernel.save({ slug: "one" });
  const two = await kernel.save({ slug: "two" });
  const move = (id: string, slug: string) =>
    kernel.api.patch(`/api/snips/${id}`, { slug });
  expect(await move(two.id, "one")).toMatchObject({
    status: 409,
    body: { code: "SNIPPET_SLUG_TAKEN" },
  });
  expect(await move(one.id, "three")).toMatchObject({ status: 200 });
  expect(await move(two.id, "one")).toMatchObject({ status: 200 });
  expect(await move(two.id, "three")).toMatchObject({ status: 409 });
  expect((await kernel.list()).map(({ slug }) => slug)).toEqual([
    "one",
    "three",
  ]);
});

test("of 50 that ask for one slug at once, one gets it", async () => {
  await using kernel = await startSnippets();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      kernel.api.post<{ code?: string }>("/api/snips", {
        title: "Contested",
        body: "x",
        slug: "contested",
      }),
    ),
  );
  const codes = answers.map(({ status, body }) => `${status} ${body.code}`);
  expect(codes.filter((code) => code === "200 undefined")).toHaveLength(1);
  expect(
    codes.filter((code) => code === "409 SNIPPET_SLUG_TAKEN"),
  ).toHaveLength(49);
  expect(await kernel.list()).toHaveLength(1);
});

test("of 50 that leave it to the title, each gets one", async () => {
  await using kernel = await startSnippets();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      kernel.api.post<Snippet>("/api/snips", { title: "Same!", body: "x" }),
    ),
  );
  expect(answers.map(({ body }) => body.slug).sort()).toEqual(
    ["same", ...Array.from({ length: 49 }, (_, n) => `same-${n + 2}`)].sort(),
  );
});

test("of many that are moved to one slug at once, one gets it, and the others keep theirs", async () => {
  await using kernel = await startSnippets();
  const saved: Snippet[] = [];
  for (let index = 0; index < 10; index += 1)
    saved.push(await kernel.save({ slug: `s${index}` }));
  const answers = await Promise.all(
    saved.map(({ id }) =>
      kernel.api.patch(`/api/snips/${id}`, { slug: "goal" }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([
    200,
    ...Array.from({ length: 9 }, () => 409),
  ]);
  const slugs = (await kernel.list()).map(({ slug }) => slug);
  expect(new Set(slugs).size).toBe(10);
});

test("a title takes the first slug that is free, also one that was given up, and after a restart", async () => {
  await using kernel = await startSnippets();
  const slugOf = async () => (await kernel.save({ title: "Review" })).slug;
  for (const slug of ["review", "review-2", "review-3"])
    expect(await slugOf()).toBe(slug);
  const [, second] = (await kernel.list()) as [Snippet, Snippet];
  await kernel.api.delete(`/api/snips/${second.id}`);
  expect(await slugOf()).toBe("review-2");
  const [newest] = (await kernel.list()) as [Snippet];
  await kernel.api.patch(`/api/snips/${newest.id}`, { slug: "renamed" });
  await kernel.restart();
  expect(await slugOf()).toBe("review-2");
  expect(await slugOf()).toBe("review-4");
  const taken = await kernel.api.post("/api/snips", {
    body: "x",
    slug: "renamed",
  });
  expect(taken).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining(newest.id) as string },
  });
});
