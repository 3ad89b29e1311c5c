import * as z from "zod";
import { actionArgs, kebabName, line, reportDoubles } from "./names.ts";

const common = {
  name: kebabName.describe("Its value goes to the action under this name."),
  label: line.min(1),
  hint: line.optional(),
};
const isRequired = z.boolean().default(false);

const choice = z
  .strictObject({
    type: z.literal("choice"),
    ...common,
    isRequired,
    value: z.string().max(200).default(""),
    choices: z
      .array(z.strictObject({ value: z.string().max(200), label: line }))
      .min(1)
      .max(500),
  })
  .refine(
    ({ value, choices }) =>
      value === "" || choices.some((each) => each.value === value),
    { path: ["value"], message: "is none of the choices" },
  );

/** A field of a form. */
const field = z
  .discriminatedUnion("type", [
    z.strictObject({
      type: z.enum(["text", "folder"]),
      ...common,
      isRequired,
      value: z.string().max(10_000).default(""),
      isLong: z.boolean().default(false).describe("Of several lines."),
    }),
    z.strictObject({
      type: z.literal("secret"),
      ...common,
      isRequired,
      value: z
        .literal("", "is never given for a secret")
        .default("")
        .describe("A secret is typed, and never shown again."),
      isLong: z.boolean().default(false),
    }),
    z.strictObject({
      type: z.literal("number"),
      ...common,
      isRequired,
      value: z.number().nullable().default(null),
      min: z.number().optional(),
      max: z.number().optional(),
      step: z.number().positive().optional(),
    }),
    choice,
    z.strictObject({
      type: z.literal("switch"),
      ...common,
      value: z.boolean().default(false),
    }),
  ])
  .meta({ id: "AppField" });

/** Form whose values go to an action as `values`. */
export const form = z
  .strictObject({
    type: z.literal("form"),
    title: line.optional(),
    action: kebabName.describe("Gets what was typed as `values`."),
    submit: line.min(1).default("Save").describe("What its button says."),
    args: actionArgs.describe("Goes along with the action."),
    confirm: z.string().min(1).max(1000).optional(),
    fields: z.array(field).min(1).max(50),
  })
  .check((context) =>
    reportDoubles(
      context,
      context.value.fields.map((each) => each.name),
      (index) => ["fields", index, "name"],
    ),
  )
  .meta({ id: "AppForm" });
