import { describe, expect, test } from "vitest";
import { ref } from "vue";
import type { Snippet } from "../../src/contract.ts";
import {
  isSame,
  newDraft,
  problemsOf,
  readEnum,
  slugFor,
  toBody,
  toDraft,
} from "../../ui/editor/draft.ts";

const snippet = {
  id: "snp_a",
  slug: "review",
  kind: "prompt",
  title: "Review",
  description: null,
  tags: ["git"],
  body: "Look at {{focus=all}} in {{cwd}}",
  placeholders: [
    {
      name: "focus",
      default: "all",
      optional: false,
      reserved: false,
      enum: ["all", "tests"],
    },
    {
      name: "cwd",
      default: null,
      optional: false,
      reserved: true,
      enum: null,
    },
  ],
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  revision: 3,
} satisfies Snippet;

describe("a draft", () => {
  test("of a snippet is saved as that snippet", () => {
    const draft = toDraft(snippet);
    expect(toBody(draft)).toEqual({
      kind: "prompt",
      title: "Review",
      slug: "review",
      description: null,
      tags: ["git"],
      body: snippet.body,
      placeholders: [{ name: "focus", enum: ["all", "tests"] }],
    });
    expect(isSame(draft, { ...toDraft(snippet), title: " Review " })).toBe(
      true,
    );
    expect(isSame(draft, { ...draft, tags: [] })).toBe(false);
  });

  test("keeps the lists of names that every object has a member of", () => {
    const names = ["__proto__", "constructor", "hasOwnProperty", "__v_skip"];
    const body = names.map((name) => `{{${name}}}`).join(" ");
    expect(toBody(newDraft({ body }))).toMatchObject({ placeholders: [] });
    const rows = names.map((name) => ({ name, enum: ["a", name] }));
    const draft = ref(
      toDraft({
        ...snippet,
        body,
        placeholders: rows.map((row) => ({
          ...snippet.placeholders[1]!,
          ...row,
          reserved: false,
        })),
      }),
    );
    expect(toBody(draft.value)).toMatchObject({ placeholders: rows });
    for (const name of names) draft.value.enums.set(name, "b");
    expect(toBody(draft.value)).toMatchObject({
      placeholders: names.map((name) => ({ name, enum: ["b"] })),
    });
  });

  test("forgets the lists of names that the text has no more", () => {
    const draft = { ...toDraft(snippet), body: "Look at {{other}}" };
    expect(toBody(draft)).toMatchObject({ placeholders: [] });
  });

  test("takes its slug from the title", () => {
    expect(slugFor("")).toBe("");
    expect(slugFor("Größe prüfen")).toBe("gro-e-prufen");
    expect(newDraft({ title: "A b" }).slug).toBe("a-b");
    expect(newDraft({ title: "A b", slug: "c" }).slug).toBe("c");
  });

  test("says what keeps it from being saved", () => {
    expect(problemsOf(newDraft()).fields).toEqual({
      title: { message: "Give it a title.", missing: true },
      slug: { message: "Give it a slug.", missing: true },
      body: { message: "Write what is to be sent.", missing: true },
    });
    const { fields, body } = problemsOf({
      ...toDraft(snippet),
      slug: "No slug!",
      body: "{{focus=none}} {{ x }}",
      enums: new Map([["focus", "all, tests"]]),
    });
    expect(fields["slug"]?.message).toContain("1 to 64");
    expect(fields["enums.focus"]?.message).toContain('"none"');
    expect(body).toMatchObject([{ line: 1, column: 18 }]);
    expect(problemsOf(toDraft(snippet))).toEqual({ fields: {}, body: [] });
  });

  test("reads allowed values between commas, each once", () => {
    expect(readEnum(" a, b ,,a")).toEqual(["a", "b"]);
    expect(readEnum(" , ")).toBeNull();
    expect(readEnum(undefined)).toBeNull();
  });
});
