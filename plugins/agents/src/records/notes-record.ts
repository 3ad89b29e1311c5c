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

/** Further data of an agent under the agent's id, stored apart so that listing agents does not read it. */
export const notesSchema = z.object({
  ...storedFields,
  checklist: z.array(planItem),
  /** The slash commands that the CLI reported last. */
  commands: z.array(slashCommand),
  /** Context for the next prompt: output of commands that the user ran, an imported conversation. */
  context: z.array(z.string()),
  /** Attachments in the agent's folders, oldest first. */
  drops: z.array(dropSchema).default([]),
});

export type NotesRecord = z.infer<typeof notesSchema>;

export const notesCollection: CollectionDefinition<NotesRecord> = {
  name: "notes",
  version: 1,
  schema: notesSchema,
};
