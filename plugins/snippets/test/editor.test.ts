import { expect, test } from "vitest";
import { SnippetCreated } from "../src/contract.ts";
import type { Snippet, SnippetStarter } from "../src/contract.ts";
import { startSnippets } from "./support/snippets.ts";

test("a check tells the table of a body, and what is broken in it", async () => {
  await using kernel = await startSnippets();
  const check = (body: string) => kernel.api.post("/api/snips/check", { body });
  expect(await check("{{a}} {{b=1}} {{c=}} {{cwd}} {{{{d}}")).toEqual({
    status: 200,
    headers: expect.anything() as unknown,
    body: {
      placeholders: [
        {
          name: "a",
          default: null,
          optional: false,
          reserved: false,
          enum: null,
        },
        {
          name: "b",
          default: "1",
          optional: false,
          reserved: false,
          enum: null,
        },
        {
          name: "c",
          default: null,
          optional: true,
          reserved: false,
          enum: null,
        },
        {
          name: "cwd",
          default: null,
          optional: false,
          reserved: true,
          enum: null,
        },
      ],
      errors: [],
      literal: "{{{{a}} {{{{b=1}} {{{{c=}} {{{{cwd}} {{{{{{{{d}}",
    },
  });
  expect(await check("Line\n {{ a }}")).toMatchObject({
    status: 200,
    body: {
      placeholders: [],
      errors: [
        {
          from: 8,
          to: 9,
          line: 2,
          column: 4,
          message: expect.any(String) as string,
          expected: expect.any(String) as string,
        },
      ],
    },
  });
  expect(await check("")).toMatchObject({
    status: 200,
    body: { placeholders: [], errors: [], literal: null },
  });
  expect(await check("x".repeat(100_001))).toMatchObject({ status: 400 });
});

test.each([
  "docker ps --format '{{.Names}}'",
  "${{ secrets.TOKEN }}",
  '{{ .Values.x | default "y" }}',
  "a {{{ raw }}} b",
  "{% if x %}{{ y }}{% endif %}",
  "{{#each items}}{{this}}{{/each}}",
  "{{{{.ID}}}}",
])("%s is taken by its literal form, which keeps its bytes", async (text) => {
  await using kernel = await startSnippets();
  const { api } = kernel;
  const paths = [
    ["check", { body: text }],
    ["import", { text }],
  ] as const;
  for (const [path, input] of paths) {
    const { body } = await api.post<{ literal: string }>(
      `/api/snips/${path}`,
      input,
    );
    const made = await api.post<Snippet>("/api/snips", {
      ...{ kind: "command", title: path, body: body.literal },
    });
    const { id } = made.body;
    const expanded = await api.post(`/api/snips/${id}/expand`, {});
    expect(expanded.body).toMatchObject({ text });
  }
});

test("an import suggests, and saves nothing", async () => {
  await using kernel = await startSnippets();
  const text = "Summarize [TOPIC NAME] for FUTURE_READERS by {{date}}.";
  expect(await kernel.api.post("/api/snips/import", { text })).toMatchObject({
    status: 200,
    body: {
      text,
      title: "Summarize [TOPIC NAME] for FUTURE_READERS by {{date}}.",
      conversions: [
        {
          from: 10,
          to: 22,
          text: "[TOPIC NAME]",
          name: "topic_name",
          reserved: false,
        },
        {
          from: 27,
          to: 41,
          text: "FUTURE_READERS",
          name: "future_readers",
          reserved: false,
        },
      ],
      placeholders: [{ name: "date" }],
      errors: [],
    },
  });
  expect(await kernel.list()).toEqual([]);
  expect(kernel.events.all(SnippetCreated)).toEqual([]);
});

test("there are six starters, and each can be created as it is", async () => {
  await using kernel = await startSnippets();
  const { body } = await kernel.api.get<{ items: SnippetStarter[] }>(
    "/api/snips/starters",
  );
  expect(body.items.map(({ title }) => title)).toEqual([
    "Review a pull request",
    "Explain an error",
    "Write a commit message",
    "Summarize changes",
    "Run the tests and fix failures",
    "Standup update",
  ]);
  for (const starter of body.items) {
    const created = await kernel.api.post<Snippet>("/api/snips", starter);
    expect(created).toMatchObject({ status: 200, body: starter });
    // With a value for each placeholder that needs one, the text has no gap.
    const asked = starter.placeholders.filter(
      (row) => !row.reserved && !row.optional && row.default === null,
    );
    const answer = await kernel.api.post<{ text: string }>(
      `/api/snips/${created.body.id}/expand`,
      {
        values: Object.fromEntries(asked.map(({ name }) => [name, "this"])),
        context: {
          cwd: "/work",
          workspace: "work",
          branch: "main",
          agent: "Ada",
          cli: "pi",
        },
      },
    );
    expect(answer).toMatchObject({ status: 200, body: { missing: [] } });
    expect(answer.body.text).not.toContain("{{");
  }
});
