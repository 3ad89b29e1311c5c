import * as z from "zod";
import { snippetKind } from "../contract.ts";
import { MAX_BODY_LENGTH, MAX_NAME_LENGTH } from "../language/grammar.ts";
import { MAX_TITLE_LENGTH } from "../language/to-title.ts";

const MAX_TAGS = 20;
const MAX_TAG_LENGTH = 50;
const MAX_DESCRIPTION_LENGTH = 500;
const MAX_CHOICES = 100;
const MAX_CHOICE_LENGTH = 200;

/** Halves of surrogate pairs cannot be stored as UTF-8. */
const isWellFormed = (text: string) => !/\p{Surrogate}/u.test(text);
const WELL_FORMED = "must be well-formed Unicode";

const line = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(longest)
    .refine(isWellFormed, WELL_FORMED)
    .refine(
      (text) => !/[\p{Cc}\u2028\u2029]/u.test(text),
      "must be one line without control characters",
    );

/** A text of any lines. */
export const textInput = z
  .string()
  .max(MAX_BODY_LENGTH)
  .refine(isWellFormed, WELL_FORMED);

const bodyInput = textInput.refine(
  (text) => text.trim() !== "",
  "must not be empty",
);

/** The interface shows the values of a list with commas between them, so that no value can have one. */
const choiceInput = line(MAX_CHOICE_LENGTH).refine(
  (text) => !text.includes(","),
  "must not have a comma",
);

const isDistinct = (texts: readonly string[]) =>
  new Set(texts.map((text) => text.toLowerCase())).size === texts.length;

const tagsInput = z
  .array(
    line(MAX_TAG_LENGTH).refine(
      (tag) => !tag.includes(","),
      "must not have a comma",
    ),
  )
  .max(MAX_TAGS)
  .refine(isDistinct, "must not have the same tag twice");

const placeholdersInput = z
  .array(
    z.strictObject({
      name: z.string().max(MAX_NAME_LENGTH),
      enum: z
        .array(choiceInput)
        .max(MAX_CHOICES)
        .refine(
          (values) => new Set(values).size === values.length,
          "must not have the same value twice",
        )
        .nullable()
        .optional(),
      default: z.string().nullable().optional(),
      optional: z.boolean().optional(),
      reserved: z.boolean().optional(),
    }),
  )
  .max(100);
export type PlaceholderInput = z.infer<typeof placeholdersInput>[number];

const fields = {
  kind: snippetKind,
  title: line(MAX_TITLE_LENGTH),
  slug: z.string(),
  description: z
    .string()
    .trim()
    .max(MAX_DESCRIPTION_LENGTH)
    .refine(isWellFormed, WELL_FORMED)
    .nullable(),
  tags: tagsInput,
  body: bodyInput,
  placeholders: placeholdersInput,
};

/** What a new snippet is made of. */
export const newSnippet = z.strictObject({
  kind: fields.kind.default("prompt"),
  title: fields.title.optional(),
  slug: fields.slug.optional(),
  description: fields.description.optional(),
  tags: fields.tags.default([]),
  body: fields.body,
  placeholders: fields.placeholders.default([]),
});
export type NewSnippet = z.infer<typeof newSnippet>;

/** What can be changed of a snippet. */
export const snippetChange = z.strictObject(fields).partial();
export type SnippetChange = z.infer<typeof snippetChange>;
