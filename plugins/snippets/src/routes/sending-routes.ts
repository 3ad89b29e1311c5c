import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { dictionaryOf } from "@gantry/plugin/zod";
import { AGENT_MESSAGE_ERRORS } from "@gantry/plugin-agents/contract";
import { TERMINAL_INPUT_ERRORS } from "@gantry/plugin-terminals/contract";
import * as z from "zod";
import {
  snippetConfirmation,
  snippetContext,
  snippetExpansion,
  snippetSending,
  snippetTarget,
} from "../contract.ts";
import { MAX_TEXT_LENGTH } from "../language/grammar.ts";
import type { Library } from "../library/library.ts";
import { expandSnippet } from "../sending/expand-snippet.ts";
import type { Send } from "../sending/sender.ts";
import type { Targets } from "../sending/targets.ts";
import { snippetId } from "./snippet-id.ts";

/** Four pictures of 4 MiB in base64, and the values. */
const MAX_SENDING_BYTES = 25 * 1024 * 1024;

/** By the names of placeholders, which can be those of every object's members. */
const valuesInput = dictionaryOf(
  z
    .string()
    .max(MAX_TEXT_LENGTH)
    .refine(
      (text) => !/\p{Surrogate}/u.test(text),
      "must be well-formed Unicode",
    ),
).prefault({});

const imagesInput = z
  .array(
    z.strictObject({
      mimeType: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
      data: z.string().max(6 * 1024 * 1024),
    }),
  )
  .max(4)
  .default([]);

const VALUE_ERRORS = [
  "SNIPPET_NOT_FOUND",
  "SNIPPET_VALUE_UNKNOWN",
  "SNIPPET_VALUE_RESERVED",
  "SNIPPET_ENUM",
  "SNIPPET_TOO_LONG",
  "SNIPPET_TARGET_NOT_FOUND",
  "SNIPPET_AGENTS_MISSING",
  "SNIPPET_TERMINALS_MISSING",
];

/** Dependencies of the sending routes. */
export interface SendingHost {
  library: Library;
  targets: Targets;
  send: Send;
}

/** Fills snippets, and sends them. */
export function createSendingRoutes({
  library,
  targets,
  send,
}: SendingHost): RouteDefinition[] {
  return [
    defineRoute({
      method: "POST",
      path: "/api/snips/{id}/expand",
      summary: "The text of a snippet with its values",
      description:
        "Text substitution and nothing else: in one pass, no value is looked at again, nothing is quoted, nothing runs. The reserved names are filled from `target`, and from `context`, which wins. What has no value is in `missing` and stands in the text as in the body.",
      access: "session",
      params: snippetId,
      maxBody: MAX_SENDING_BYTES,
      body: z.strictObject({
        values: valuesInput,
        context: snippetContext.default({}),
        target: snippetTarget.optional(),
      }),
      returns: snippetExpansion,
      errors: VALUE_ERRORS,
      async handle({ params: { id }, body, signal }) {
        const snippet = await library.get(id);
        const known = body.target
          ? (await targets.find(body.target, snippet.placeholders, signal))
              .context
          : targets.none();
        const context = { ...known, ...body.context };
        return expandSnippet(snippet, body.values, context);
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/snips/{id}/run",
      summary: "Send a snippet to an agent or into a terminal",
      description:
        "A prompt goes to an agent, as its composer sends it, or into the terminal of an agent CLI. A command goes into a shell, and always stops once: the answer names the terminal and has the exact text, and the same request with its `confirmation` as `confirm` within 60 seconds sends it.",
      access: "session",
      idempotent: true,
      params: snippetId,
      maxBody: MAX_SENDING_BYTES,
      body: z.strictObject({
        target: snippetTarget,
        values: valuesInput,
        confirm: z.string().max(200).optional(),
        images: imagesInput,
      }),
      returns: z.discriminatedUnion("needsConfirmation", [
        snippetSending,
        snippetConfirmation,
      ]),
      errors: [
        ...VALUE_ERRORS,
        "SNIPPET_VALUE_MISSING",
        "SNIPPET_VALUE_CONTROL",
        "SNIPPET_CONTEXT_MISSING",
        "SNIPPET_KIND",
        "SNIPPET_CONFIRMATION",
        "SNIPPET_TERMINAL_BUSY",
        ...AGENT_MESSAGE_ERRORS,
        ...TERMINAL_INPUT_ERRORS,
      ],
      handle: async ({ params: { id }, body }) =>
        send(await library.get(id), body),
    }),
  ];
}
