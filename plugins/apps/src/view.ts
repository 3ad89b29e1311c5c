import * as z from "zod";
import { block, leaf } from "./view/block.ts";
import { button } from "./view/button.ts";
import type { form } from "./view/form.ts";
import { line, pagePath } from "./view/names.ts";

const link = z.strictObject({ label: line.min(1), path: pagePath });

/** A page of an app: data that the shell draws. */
export const appView = z
  .strictObject({
    title: line.min(1),
    description: z
      .string()
      .max(1000)
      .optional()
      .describe("One sentence under the title."),
    layout: z
      .enum(["stack", "split"])
      .default("stack")
      .describe("Whether blocks are below or beside each other."),
    tabs: z
      .array(link)
      .max(12)
      .default([])
      .describe("Pages of the app beside this one, at the top."),
    parent: link
      .optional()
      .describe("The page that this one belongs to, for the way back."),
    blocks: z.array(block).max(50),
    actions: z.array(button).max(6).default([]).describe("Buttons at the top."),
    refreshMs: z
      .int()
      .min(1000)
      .max(3_600_000)
      .optional()
      .describe("Loads again so often while it is on the screen."),
    refreshOn: z
      .array(z.string().regex(/^[a-z0-9-]+\.(\*|[a-z0-9-]+)$/))
      .max(20)
      .default([])
      .describe(
        "Loads again when one of these events happens, such as agents.turn-ended; agents.* stands for all of an area.",
      ),
  })
  .meta({ id: "AppView" });

/** A page as an app gives it: what has a default may be left out. */
export type AppView = z.input<typeof appView>;
export type AppBlock = z.input<typeof block>;
export type AppLeaf = z.input<typeof leaf>;
export type AppForm = z.input<typeof form>;
export type AppButton = z.input<typeof button>;
export type AppTab = NonNullable<AppView["tabs"]>[number];

/** A page as clients get it: checked, with all defaults filled in. */
export type ShownView = z.output<typeof appView>;
export type ShownBlock = z.output<typeof block>;
export type ShownLeaf = z.output<typeof leaf>;
export type ShownButton = z.output<typeof button>;
