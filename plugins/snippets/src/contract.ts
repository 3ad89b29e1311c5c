import { defineEvent, defineService } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";

/** A prompt goes to an agent or into an agent CLI's terminal; a command is pasted into a shell and run. */
export const snippetKind = z.enum(["prompt", "command"]);
export type SnippetKind = z.infer<typeof snippetKind>;

/** A placeholder of a body, with the values that it may have. */
export const snippetPlaceholder = z.object({
  name: z.string(),
  /** What is used if nothing is typed; `null` if there is no such thing. */
  default: z.string().nullable(),
  /** Whether it may be skipped: it is written `{{name=}}`. */
  optional: z.boolean(),
  /** Whether it is filled from the target, and never asked for. */
  reserved: z.boolean(),
  /** The only values that it may have; `null` if any. */
  enum: z.array(z.string()).nullable(),
});
export type SnippetPlaceholder = z.infer<typeof snippetPlaceholder>;

/** One snippet, as clients see it. */
export const snippet = z.object({
  ...storedFields,
  /** The handle, unique among snippets, as in `/snip:<slug>`. */
  slug: z.string(),
  kind: snippetKind,
  title: z.string(),
  description: z.string().nullable(),
  tags: z.array(z.string()),
  body: z.string(),
  /** The table of the body. It is derived from the body but for `enum`, which is kept beside it. */
  placeholders: z.array(snippetPlaceholder),
});
export type Snippet = z.infer<typeof snippet>;

/** Something in a body that is no placeholder and looks as if it were meant as one. */
export const bodyProblem = z.object({
  /** Where it is in the body, in UTF-16 code units. */
  from: z.number().int(),
  to: z.number().int(),
  /** The same place for people; both count from 1. */
  line: z.number().int(),
  column: z.number().int(),
  message: z.string(),
  expected: z.string(),
});

/** Values for the reserved names, filled from where a snippet is sent. */
export const snippetContext = z.strictObject({
  cwd: z.string().max(4096).optional(),
  workspace: z.string().max(1000).optional(),
  branch: z.string().max(1000).optional(),
  date: z.string().max(100).optional(),
  agent: z.string().max(1000).optional(),
  cli: z.string().max(1000).optional(),
});
export type SnippetContext = z.infer<typeof snippetContext>;

/** Where a snippet can be sent. */
export const snippetTarget = z.strictObject({
  type: z.enum(["agent", "terminal"]),
  id: z.string().max(200),
});
export type SnippetTarget = z.infer<typeof snippetTarget>;

/** What an expansion gives. */
export const snippetExpansion = z.object({
  text: z.string(),
  /** Names that need a value and have none; they stand in the text as in the body. */
  missing: z.array(z.string()),
  placeholders: z.array(snippetPlaceholder),
  /** What is known for the reserved names: from the target, and what was given. */
  context: snippetContext,
});
export type SnippetExpansion = z.infer<typeof snippetExpansion>;

/** A piece of a raw prompt that could be a placeholder. */
export const snippetConversion = z.object({
  from: z.number().int(),
  to: z.number().int(),
  text: z.string(),
  name: z.string(),
  reserved: z.boolean(),
});

/** A starter: a snippet that is ready to be created. */
export const snippetStarter = snippet.pick({
  slug: true,
  kind: true,
  title: true,
  description: true,
  tags: true,
  body: true,
  placeholders: true,
});
export type SnippetStarter = z.infer<typeof snippetStarter>;

/** What a command stops at: the terminal by its name, and the text to the letter. */
export const snippetConfirmation = z.object({
  needsConfirmation: z.literal(true),
  /** Hand it back as `confirm` within 60 seconds to send just this text to just this terminal, once. */
  confirmation: z.string(),
  expiresAt: z.string(),
  terminal: z.object({
    id: z.string(),
    name: z.string(),
    cwd: z.string(),
  }),
  text: z.string(),
  /** The text with each control, bidirectional and invisible character written out, such as `⟨U+202E⟩`. */
  visible: z.string(),
});
export type SnippetConfirmation = z.infer<typeof snippetConfirmation>;

/** The result of sending a snippet. */
export const snippetSending = z.object({
  needsConfirmation: z.literal(false),
  target: z.object({
    type: z.enum(["agent", "terminal"]),
    id: z.string(),
    name: z.string(),
  }),
  text: z.string(),
  /** A prompt waits as `queued` until the agent's turn has ended. */
  delivery: z.enum(["sent", "queued"]),
  /** The task in the agent's queue; `null` for a terminal. */
  taskId: z.string().nullable(),
});
export type SnippetSending = z.infer<typeof snippetSending>;

/** The snippets of the user, for other plugins. */
export interface SnippetLibrary {
  /** Snippets whose title, slug, tags, description or body hold `q`, newest first; all without it, 50 unless said. */
  list(
    input: { q?: string; kind?: SnippetKind; tag?: string; limit?: number },
    signal: AbortSignal,
  ): Promise<{ items: Snippet[] }>;
  /** The snippet with this id or slug; `null` if there is none. */
  get(
    input: { id: string } | { slug: string },
    signal: AbortSignal,
  ): Promise<Snippet | null>;
  /**
   * The text of a snippet with these values. Rejects with `SNIPPET_NOT_FOUND` (404), `SNIPPET_VALUE_UNKNOWN`,
   * `SNIPPET_ENUM` and `SNIPPET_TOO_LONG` (400).
   */
  expand(
    input: {
      id: string;
      values?: Readonly<Record<string, string>>;
      context?: SnippetContext;
    },
    signal: AbortSignal,
  ): Promise<SnippetExpansion>;
}

export const SnippetLibrary =
  defineService<SnippetLibrary>("snippets.library@1");

/** What events report about a snippet. */
export interface SnippetBrief {
  slug: string;
  kind: SnippetKind;
  title: string;
}

export const SnippetCreated = defineEvent<SnippetBrief>(
  "snippets.snippet-created",
  "A snippet was saved for the first time.",
);
export const SnippetChanged = defineEvent<SnippetBrief>(
  "snippets.snippet-changed",
  "A snippet was saved again.",
);
export const SnippetDeleted = defineEvent<SnippetBrief>(
  "snippets.snippet-deleted",
  "A snippet was deleted.",
);
export const SnippetSent = defineEvent<
  SnippetBrief & { target: { type: "agent" | "terminal"; id: string } }
>("snippets.snippet-sent", "A snippet was sent to an agent or a terminal.");
