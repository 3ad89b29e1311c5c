import { expect, test } from "vitest";
import { startSnippets } from "./support/snippets.ts";

const { signal } = new AbortController();

test("another plugin lists, finds and fills snippets", async () => {
  await using kernel = await startSnippets();
  const one = await kernel.save({
    slug: "one",
    tags: ["x"],
    body: "{{a}} {{cwd}} {{date}}",
  });
  const two = await kernel.save({ slug: "two", kind: "command" });
  const library = kernel.library();
  expect(await library.list({}, signal)).toEqual({ items: [two, one] });
  expect(await library.list({ limit: 1 }, signal)).toEqual({ items: [two] });
  expect(
    await library.list({ tag: "x", q: "CWD", kind: "prompt" }, signal),
  ).toEqual({ items: [one] });
  expect(await library.get({ id: one.id }, signal)).toEqual(one);
  expect(await library.get({ slug: "ONE" }, signal)).toEqual(one);
  expect(
    await library.expand(
      { id: one.id, values: { a: "1" }, context: { cwd: "/work" } },
      signal,
    ),
  ).toMatchObject({
    text: "1 /work 2026-03-02",
    missing: [],
  });
});

test("another plugin is refused as clients are", async () => {
  await using kernel = await startSnippets();
  const { id } = await kernel.save({
    body: "{{a}}",
    placeholders: [{ name: "a", enum: ["x"] }],
  });
  const library = kernel.library();
  for (const key of [
    { slug: "none" },
    { slug: "no slug" },
    { id: "../x" },
    { id: `snp_${"a".repeat(24)}` },
  ])
    expect(await library.get(key, signal)).toBeNull();
  await expect(
    library.expand({ id, values: { a: "y" } }, signal),
  ).rejects.toMatchObject({ code: "SNIPPET_ENUM" });
  await expect(
    library.expand({ id, values: { b: "y" } }, signal),
  ).rejects.toMatchObject({ code: "SNIPPET_VALUE_UNKNOWN" });
  await expect(library.expand({ id: "../x" }, signal)).rejects.toMatchObject({
    code: "SNIPPET_NOT_FOUND",
  });
  await expect(library.list({ limit: 501 }, signal)).rejects.toThrow();
});
