import * as z from "zod";

/**
 * A name of something: an app, an action, a field, a column. Two words are left out that are members of every object in
 * JavaScript, which a request may not have as keys.
 */
export const kebabName = z
  .string()
  .regex(
    /^(?!(?:constructor|prototype)$)[a-z][a-z0-9-]{0,39}$/,
    "is not kebab-case of 1 to 40 characters",
  );
const name = kebabName;
/** A page of an app; `""` is its first one. */
export const pagePath = z.string().max(1000);
const line = z.string().max(300);
const tone = z
  .enum(["neutral", "success", "attention", "failed"])
  .default("neutral");
/** A symbol of the icon set. */
export const icon = z
  .string()
  .regex(/^i-lucide-[a-z0-9-]+$/, 'is no "i-lucide-…"');

/** What a cell of a list or a table shows. Numbers and times are written by the page, in the reader's way. */
const cell = z.union([
  z.null(),
  z.string().max(2000),
  z.number(),
  z.boolean(),
  z.strictObject({ text: line, tone }),
  /** RFC 3339; shown as local time. */
  z.strictObject({ time: z.iso.datetime({ offset: true }) }),
  z.strictObject({ bytes: z.number().nonnegative() }),
  z.strictObject({ percent: z.number().min(0).max(100) }),
  z.strictObject({ milliseconds: z.number().nonnegative() }),
  /** A page of this app. */
  z.strictObject({ text: line, path: z.string().max(1000) }),
  /** Another page of Gantry, such as `/agents/agt_…`. */
  z.strictObject({ text: line, page: z.string().regex(/^\/(?![/\\])/) }),
  /** An address, which opens in a new tab. */
  z.strictObject({ text: line, url: z.url({ protocol: /^https?$/ }) }),
]);

/** A button. */
const button = z.strictObject({
  label: line.min(1),
  icon: icon.optional(),
  /** The action that it asks the app for; or it leads to a page of the app. */
  action: name.optional(),
  path: z.string().max(1000).optional(),
  args: z.record(z.string(), z.unknown()).default({}),
  /** Asked before, with what will happen; nothing is done until it is confirmed. */
  confirm: z.string().max(1000).optional(),
  /** It destroys something. */
  isDanger: z.boolean().default(false),
  isDisabled: z.boolean().default(false),
});

/** A field of a form. */
const field = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.enum(["text", "secret", "folder"]),
    name,
    label: line.min(1),
    hint: line.optional(),
    isRequired: z.boolean().default(false),
    /** Never given for a secret. */
    value: z.string().max(10_000).default(""),
    isLong: z.boolean().default(false),
  }),
  z.strictObject({
    type: z.literal("number"),
    name,
    label: line.min(1),
    hint: line.optional(),
    isRequired: z.boolean().default(false),
    value: z.number().nullable().default(null),
    min: z.number().optional(),
    max: z.number().optional(),
    step: z.number().positive().optional(),
  }),
  z.strictObject({
    type: z.literal("choice"),
    name,
    label: line.min(1),
    hint: line.optional(),
    isRequired: z.boolean().default(false),
    value: z.string().default(""),
    choices: z
      .array(z.strictObject({ value: z.string().max(200), label: line }))
      .min(1)
      .max(500),
  }),
  z.strictObject({
    type: z.literal("switch"),
    name,
    label: line.min(1),
    hint: line.optional(),
    value: z.boolean().default(false),
  }),
]);

/** Form whose values go to an action as `values`. */
const form = z.strictObject({
  type: z.literal("form"),
  title: line.optional(),
  action: name,
  submit: line.min(1).default("Save"),
  args: z.record(z.string(), z.unknown()).default({}),
  confirm: z.string().max(1000).optional(),
  fields: z.array(field).min(1).max(50),
});

const column = z.strictObject({
  key: name,
  label: line,
  align: z.enum(["start", "end"]).default("start"),
  isSortable: z.boolean().default(true),
  /** Left out on a narrow page. */
  isMinor: z.boolean().default(false),
});

const row = z.strictObject({
  /** Handed to actions; unique in its block. */
  id: z.string().min(1).max(500),
  title: line.optional(),
  detail: z.string().max(1000).optional(),
  icon: icon.optional(),
  tone,
  /** Page of the app that opens with a click. */
  path: z.string().max(1000).optional(),
  cells: z.record(z.string(), cell).default({}),
  actions: z.array(button).max(8).default([]),
});

const rows = {
  rows: z.array(row).max(5000),
  /** Shown in place of no rows. */
  empty: line.default("Nothing here."),
  /** A field above to search in the rows. */
  isSearchable: z.boolean().default(false),
  /** Actions on the chosen rows, whose ids go along as `rows`; with any, rows can be chosen. */
  selection: z.array(button).max(8).default([]),
};

const leaf = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("list"),
    title: line.optional(),
    /** Keys of cells that are shown beside the title. */
    columns: z.array(column).max(8).default([]),
    ...rows,
  }),
  z.strictObject({
    type: z.literal("table"),
    title: line.optional(),
    columns: z.array(column).min(1).max(20),
    ...rows,
    /** Column to sort by at first; the order given otherwise. */
    sort: z
      .strictObject({ key: name, isDescending: z.boolean().default(false) })
      .optional(),
  }),
  z.strictObject({
    type: z.literal("detail"),
    title: line.optional(),
    facts: z.array(z.strictObject({ label: line, value: cell })).max(100),
  }),
  form,
  z.strictObject({
    type: z.literal("actions"),
    title: line.optional(),
    buttons: z.array(button).min(1).max(20),
  }),
  z.strictObject({
    type: z.literal("chart"),
    title: line.min(1),
    kind: z.enum(["lines", "bars", "gauge"]),
    /** How values are written. */
    unit: z.enum(["number", "bytes", "percent"]).default("number"),
    /** Of `lines` and `bars` over time: RFC 3339 moments, oldest first. */
    times: z
      .array(z.iso.datetime({ offset: true }))
      .max(2000)
      .default([]),
    /** Of `bars` without times: what each stands for. */
    labels: z.array(line).max(200).default([]),
    series: z
      .array(
        z.strictObject({
          label: line,
          tone,
          values: z.array(z.number().nullable()).max(2000),
        }),
      )
      .max(8)
      .default([]),
    /** Of a `gauge`. */
    value: z.number().optional(),
    max: z.number().positive().optional(),
    empty: line.default("Nothing to show yet."),
  }),
  z.strictObject({
    type: z.literal("log"),
    title: line.optional(),
    lines: z
      .array(
        z.strictObject({
          text: z.string().max(4000),
          time: z.iso.datetime({ offset: true }).optional(),
          tone,
        }),
      )
      .max(2000),
    /** Keeps the newest line in sight while the reader is at the end. */
    follows: z.boolean().default(true),
    isSearchable: z.boolean().default(true),
    empty: line.default("No lines yet."),
  }),
  z.strictObject({
    type: z.literal("markdown"),
    text: z.string().max(100_000),
  }),
]);
type Leaf = z.input<typeof leaf>;

const stack = z.strictObject({
  type: z.literal("stack"),
  title: line.optional(),
  blocks: z.array(leaf).max(30),
});

/** A block of a view. */
const block = z.discriminatedUnion("type", [
  leaf,
  stack,
  /** Beside each other where there is room. */
  z.strictObject({
    type: z.literal("split"),
    blocks: z
      .array(z.discriminatedUnion("type", [leaf, stack]))
      .min(1)
      .max(4),
  }),
  z.strictObject({
    type: z.literal("tabs"),
    tabs: z
      .array(
        z.strictObject({
          name,
          label: line.min(1),
          blocks: z.array(leaf).max(30),
        }),
      )
      .min(1)
      .max(12),
  }),
]);

/** A page of an app: data that the shell draws. */
export const appView = z.strictObject({
  title: line.min(1),
  /** One sentence under the title. */
  description: z.string().max(1000).optional(),
  /** How the blocks are laid out. */
  layout: z.enum(["stack", "split"]).default("stack"),
  /** Pages beside this one, at the top. */
  tabs: z
    .array(z.strictObject({ label: line.min(1), path: z.string().max(1000) }))
    .max(12)
    .default([]),
  /** The page that this one belongs to, for the way back. */
  parent: z
    .strictObject({ label: line.min(1), path: z.string().max(1000) })
    .optional(),
  blocks: z.array(block).max(50),
  /** Buttons at the top. */
  actions: z.array(button).max(6).default([]),
  /** Loads again so often while it is on the screen. */
  refreshMs: z.int().min(1000).max(3_600_000).optional(),
  /** Loads again when one of these events happens, such as `agents.turn-ended`; `*` at the end stands for any rest. */
  refreshOn: z
    .array(z.string().regex(/^[a-z0-9-]+\.(\*|[a-z0-9-]+)$/))
    .max(20)
    .default([]),
});
export type AppView = z.input<typeof appView>;
export type AppBlock = z.input<typeof block>;
export type AppLeaf = Leaf;
export type AppForm = z.input<typeof form>;
export type AppButton = z.input<typeof button>;
export type AppTab = NonNullable<AppView["tabs"]>[number];
