import { expect, test } from "vitest";
import {
  SnippetChanged,
  SnippetCreated,
  SnippetDeleted,
} from "../src/contract.ts";
import type { Snippet } from "../src/contract.ts";
import { startSnippets } from "./support/snippets.ts";

const body = "Fix {{file}} in {{place=src}}{{note=}} on {{branch}}";

test("what is saved is there as it was sent, with the table of its body", async () => {
  await using kernel = await startSnippets();
  const { status, body: saved } = await kernel.api.post<Snippet>("/api/snips", {
    kind: "command",
    title: " Fix a file ",
    slug: "Fix-IT",
    description: "Fixes what is broken.",
    tags: ["fix", "Git"],
    body,
    placeholders: [{ name: "place", enum: ["src", "test"] }],
  });
  expect(status).toBe(200);
  expect(saved).toEqual({
    id: expect.stringMatching(/^snp_[a-z2-7]{24}$/) as string,
    slug: "fix-it",
    kind: "command",
    title: "Fix a file",
    description: "Fixes what is broken.",
    tags: ["fix", "Git"],
    body,
    placeholders: [
      {
        name: "file",
        default: null,
        optional: false,
        reserved: false,
        enum: null,
      },
      {
        name: "place",
        default: "src",
        optional: false,
        reserved: false,
        enum: ["src", "test"],
      },
      {
        name: "note",
        default: null,
        optional: true,
        reserved: false,
        enum: null,
      },
      {
        name: "branch",
        default: null,
        optional: false,
        reserved: true,
        enum: null,
      },
    ],
    createdAt: "2026-03-02T12:00:00.000Z",
    updatedAt: "2026-03-02T12:00:00.000Z",
    revision: 1,
  });
  expect((await kernel.api.get(`/api/snips/${saved.id}`)).body).toEqual(saved);
  expect(await kernel.list()).toEqual([saved]);
  expect(kernel.events.all(SnippetCreated)).toMatchObject([
    {
      subject: saved.id,
      plugin: "snippets",
      data: { slug: "fix-it", kind: "command", title: "Fix a file" },
    },
  ]);
});

test("little is needed: without a title the first words are one, and it is a prompt", async () => {
  await using kernel = await startSnippets();
  const { body: saved } = await kernel.api.post("/api/snips", {
    body: "Explain this error:\n\n{{error}}",
  });
  expect(saved).toMatchObject({
    title: "Explain this error: {{error}}",
    slug: "explain-this-error-error",
    kind: "prompt",
    description: null,
    tags: [],
  });
});

test("what is saved outlives the daemon, and its slug stays taken", async () => {
  await using kernel = await startSnippets();
  const saved = await kernel.save({ slug: "one", tags: ["a"] });
  await kernel.restart();
  expect(await kernel.list({ q: "hello", tag: "a" })).toEqual([saved]);
  expect(
    await kernel.api.post("/api/snips", { body: "x", slug: "one" }),
  ).toMatchObject({ status: 409 });
});

test("a change changes what it names, and nothing else", async () => {
  await using kernel = await startSnippets();
  const saved = await kernel.save({ description: "Old", tags: ["a"], body });
  const path = `/api/snips/${saved.id}`;
  const changed = await kernel.api.patch(path, { title: "New", tags: [] });
  expect(changed).toMatchObject({
    status: 200,
    body: {
      ...saved,
      title: "New",
      tags: [],
      revision: 2,
      updatedAt: "2026-03-02T12:00:01.000Z",
    },
  });
  expect(await kernel.api.patch(path, { description: null })).toMatchObject({
    body: { description: null, revision: 3 },
  });
  expect(kernel.events.all(SnippetChanged)).toHaveLength(2);
  // What changes nothing is no change.
  expect(await kernel.api.patch(path, { title: "New" })).toMatchObject({
    status: 200,
    body: { revision: 3 },
  });
  expect(await kernel.api.patch(path, {})).toMatchObject({
    body: { revision: 3 },
  });
  expect(kernel.events.all(SnippetChanged)).toHaveLength(2);
});

test("lists of allowed values stay with their names when the body changes", async () => {
  await using kernel = await startSnippets();
  const saved = await kernel.save({
    body: "{{a}} {{b}}",
    placeholders: [
      { name: "a", enum: ["1", "2"] },
      { name: "b", enum: ["3"] },
    ],
  });
  const path = `/api/snips/${saved.id}`;
  const enums = async (change: object) => {
    const answer = await kernel.api.patch<Snippet>(path, change);
    return (
      answer.body.placeholders?.map((row) => [row.name, row.enum]) ??
      answer.body
    );
  };
  expect(await enums({ body: "{{c}} {{a=2}}" })).toEqual([
    ["c", null],
    ["a", ["1", "2"]],
  ]);
  expect(await enums({ body: "{{a=3}}" })).toMatchObject({
    code: "SNIPPET_ENUM",
    detail: expect.stringContaining('"3"') as string,
  });
  expect(await enums({ placeholders: [{ name: "c", enum: ["x"] }] })).toEqual([
    ["c", ["x"]],
    ["a", null],
  ]);
  expect(await enums({ placeholders: [] })).toEqual([
    ["c", null],
    ["a", null],
  ]);
});

test("a table that was read can be sent back", async () => {
  await using kernel = await startSnippets();
  const { id, placeholders } = await kernel.save({
    body,
    placeholders: [{ name: "place", enum: ["src"] }],
  });
  expect(
    await kernel.api.patch(`/api/snips/${id}`, { placeholders }),
  ).toMatchObject({
    status: 200,
    body: { placeholders, revision: 1 },
  });
});

test("a copy has body, kind, tags and lists, and a slug and a title of its own", async () => {
  await using kernel = await startSnippets();
  const saved = await kernel.save({
    kind: "command",
    title: "Deploy",
    description: "With care",
    tags: ["ops"],
    body: "deploy {{where}}",
    placeholders: [{ name: "where", enum: ["here"] }],
  });
  const path = `/api/snips/${saved.id}/duplicate`;
  const first = await kernel.api.post<Snippet>(path);
  expect(first).toMatchObject({
    status: 200,
    body: {
      kind: "command",
      title: "Deploy (copy)",
      slug: "deploy-copy",
      tags: ["ops"],
      body: saved.body,
      placeholders: saved.placeholders,
      revision: 1,
    },
  });
  expect(first.body.id).not.toBe(saved.id);
  expect(await kernel.api.post(path)).toMatchObject({
    body: { slug: "deploy-copy-2" },
  });
  const long = await kernel.save({ title: "🙂".repeat(100) });
  expect(
    await kernel.api.post(`/api/snips/${long.id}/duplicate`),
  ).toMatchObject({ status: 200 });
});

test("a deleted snippet is gone, with its event, and its slug is free", async () => {
  await using kernel = await startSnippets();
  const { id } = await kernel.save({ slug: "one" });
  expect(await kernel.api.delete(`/api/snips/${id}`)).toMatchObject({
    status: 200,
    body: { ok: true },
  });
  expect(await kernel.list()).toEqual([]);
  expect(kernel.events.all(SnippetDeleted)).toMatchObject([
    { subject: id, data: { slug: "one" } },
  ]);
  expect(await kernel.api.delete(`/api/snips/${id}`)).toMatchObject({
    status: 404,
    body: { code: "SNIPPET_NOT_FOUND" },
  });
  expect(await kernel.save({ slug: "one" })).toMatchObject({ slug: "one" });
});

test("a stale revision changes nothing", async () => {
  await using kernel = await startSnippets();
  const saved = await kernel.save({ slug: "one" });
  const path = `/api/snips/${saved.id}`;
  const first = { "if-match": '"1"' };
  const { body: changed } = await kernel.api.patch(
    path,
    { title: "Two" },
    first,
  );
  for (const stale of [
    await kernel.api.patch(path, { title: "Three", slug: "three" }, first),
    await kernel.api.delete(path, undefined, first),
  ])
    expect(stale).toMatchObject({
      status: 412,
      body: { code: "STALE_REVISION" },
    });
  expect(await kernel.list()).toEqual([changed]);
  expect(await kernel.api.get("/api/snips/slug/three")).toMatchObject({
    body: { available: true },
  });
});

test("the same key saves, copies and answers once", async () => {
  await using kernel = await startSnippets();
  const key = { "idempotency-key": "k1" };
  const save = () =>
    kernel.api.post<Snippet>("/api/snips", { body: "Once" }, key);
  const [first, second] = await Promise.all([save(), save()]);
  expect(second.body).toEqual(first.body);
  expect(
    await kernel.api.post("/api/snips", { body: "Other" }, key),
  ).toMatchObject({ status: 409 });
  const copy = () =>
    kernel.api.post(`/api/snips/${first.body.id}/duplicate`, {}, key);
  expect((await copy()).body).toEqual((await copy()).body);
  expect(await kernel.list()).toHaveLength(2);
});

const STRANGE_IDS = [
  "..%2fx",
  "%00",
  "__proto__",
  "a:b",
  ".git",
  "x".repeat(5000),
  "SNP_AAAAAAAAAAAAAAAAAAAAAAAA",
  `agt_${"a".repeat(24)}`,
  `snp_${"a".repeat(24)}`,
  "snp_",
];

test("a strange id is unknown everywhere, and nothing changes", async () => {
  await using kernel = await startSnippets();
  const saved = await kernel.save();
  const before = kernel.events.all().length;
  for (const id of STRANGE_IDS) {
    const path = `/api/snips/${id}`;
    const answers = [
      await kernel.api.get(path),
      await kernel.api.patch(path, { title: "x" }),
      await kernel.api.delete(path),
      await kernel.api.post(`${path}/duplicate`),
      await kernel.api.post(`${path}/expand`),
      await kernel.api.post(`${path}/run`, { target: { type: "agent", id } }),
    ];
    expect(
      answers.map(({ status }) => status),
      id,
    ).toEqual([404, 404, 404, 404, 404, 404]);
  }
  expect(kernel.events.all()).toHaveLength(before);
  expect(await kernel.list()).toEqual([saved]);
});

test("strangers see nothing and change nothing", async () => {
  await using kernel = await startSnippets();
  const saved = await kernel.save();
  for (const path of [
    "/api/snips",
    "/api/snips/starters",
    "/api/snips/slug/one",
    `/api/snips/${saved.id}`,
  ])
    expect(await kernel.stranger.get(path)).toMatchObject({
      status: 401,
      body: { code: "AUTH_NOT_PAIRED" },
    });
  for (const path of [
    "/api/snips",
    "/api/snips/check",
    "/api/snips/import",
    `/api/snips/${saved.id}/expand`,
    `/api/snips/${saved.id}/run`,
  ])
    expect(
      await kernel.stranger.post(path, { body: "x" }, { origin: kernel.url }),
    ).toMatchObject({ status: 401 });
  expect(await kernel.list()).toEqual([saved]);
});
