import type { CollectionDefinition } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";
import { dropSchema } from "./removal-record.ts";

export const planItem = z.object({
  text: z.string(),
  status: z.enum(["pending", "in_progress", "completed"]),
});

export const slashCommand = z.object({
  /** Without the slash. */
  name: z.string(),
  description: z.string(),
  source: z.enum(["cli", "skill", "template", "snippet"]),
});

export type SlashCommand = z.infer<typeof slashCommand>;

/** What is kept beside an agent, under its id, so that a list of agents does not read it. */
export const notesSchema = z.object({
  ...storedFields,
  checklist: z.array(planItem),
  /** What the CLI said last that it takes after a slash. */
  commands: z.array(slashCommand),
  /** What goes before the next prompt: output of commands that the user ran, an imported conversation. */
  context: z.array(z.string()),
  /** Files in drop boxes, the oldest first. */
  drops: z.array(dropSchema).default([]),
});

export type NotesRecord = z.infer<typeof notesSchema>;

export const notesCollection: CollectionDefinition<NotesRecord> = {
  name: "notes",
  version: 1,
  schema: notesSchema,
};
