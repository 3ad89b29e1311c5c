import fc from "fast-check";
import { expect, expectTypeOf, test } from "vitest";
import { defineEvent, defineService, NoticeRaised } from "../src/index.ts";
import type { EventToken, Notice, ServiceOf } from "../src/index.ts";

interface Notes {
  count(query: { state: string }, signal: AbortSignal): Promise<number>;
}

const NoteAdded = defineEvent<{ title: string }>(
  "notes.note-added",
  "A note was added.",
);

test("an event is described by its token, which makes its occurrences", () => {
  expect(NoteAdded).toMatchObject({
    kind: "event",
    type: "notes.note-added",
    summary: "A note was added.",
  });
  expect(NoteAdded.of("not_a", { title: "Milk" })).toEqual({
    type: "notes.note-added",
    subject: "not_a",
    data: { title: "Milk" },
  });
  expectTypeOf(NoteAdded.of).parameter(1).toEqualTypeOf<{ title: string }>();
});

test("a service is named by its token, and its type goes with it", () => {
  const token = defineService<Notes>("notes.notes@1");
  expect(token).toEqual({ kind: "service", id: "notes.notes@1" });
  expectTypeOf<ServiceOf<typeof token>>().toEqualTypeOf<Notes>();
});

test("the kernel's notice is an event as any other", () => {
  expect(NoticeRaised.type).toBe("kernel.notice-raised");
  expectTypeOf(NoticeRaised).toEqualTypeOf<EventToken<Notice>>();
});

test.each([
  "note-added",
  "notes.note.added",
  "Notes.added",
  "notes.",
  ".added",
  "notes.added@1",
  "notes.added\n",
  "",
])("%j is no type of an event", (type) => {
  expect(() => defineEvent(type, "")).toThrow(
    new TypeError(`Event type "${type}" is not of the form area.past-tense.`),
  );
});

test.each([
  "notes",
  "notes.notes",
  "notes.notes@0",
  "notes.notes@01",
  "notes.notes@1.2",
  "notes.notes@one",
  "Notes.notes@1",
  "notes.notes@1\n",
])("%j is no id of a service", (id) => {
  expect(() => defineService(id)).toThrow(
    new TypeError(`Service id "${id}" is not of the form area.name@1.`),
  );
});

test("each name of the right form is taken", () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9]{0,5}(-[a-z0-9]{1,5}){0,2}$/);
  fc.assert(
    fc.property(
      word,
      word,
      fc.integer({ min: 1, max: 99 }),
      (area, name, major) => {
        expect(defineEvent(`${area}.${name}`, "").type).toBe(`${area}.${name}`);
        const id = `${area}.${name}@${major}`;
        expect(defineService(id).id).toBe(id);
      },
    ),
  );
});
