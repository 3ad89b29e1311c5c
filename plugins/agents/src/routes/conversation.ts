import {
  bytes,
  defineRoute,
  type BytesAnswer,
  type RouteDefinition,
} from "@gantry/plugin";
import { pageOf, pageQuery, timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import {
  conversationLine,
  MAX_IMPORT_BYTES,
} from "../conversation/conversation-file.ts";
import type { ExportedFile } from "../conversation/conversation-exports.ts";
import { createGist } from "../conversation/gists.ts";
import { errors } from "../errors.ts";
import type { PluginParts } from "../plugin-parts.ts";
import { agentView, toAgentView } from "../records/agent-record.ts";
import { AGENT_START_ERRORS } from "../rejections.ts";
import { cutText, type Entry } from "../transcript/entry.ts";
import { agentParameter, nameInput, toCursor } from "./inputs.ts";

/** Longest text of an entry in a tree. */
const TREE_TEXT = 160;

const treeEntry = z.object({
  id: z.string(),
  parentId: z.string().nullable(),
  role: z.enum(["user", "assistant", "system"]),
  kind: z.string(),
  text: z.string(),
  at: timestamp,
  /** Whether the conversation can continue from before it. */
  forkable: z.boolean(),
});

/** A conversation as a whole: its branches, its copies, and its way out and in. */
export function conversationRoutes(parts: PluginParts): RouteDefinition[] {
  const { book, branches, exports, transcripts, run } = parts;
  return [
    defineRoute({
      method: "GET",
      path: "/api/agents/{id}/tree",
      summary: "The conversation with all of its branches, newest first",
      description:
        "`leafId` is the entry that the next one follows; by `parentId` it leads along the branch that the messages show.",
      access: "session",
      params: agentParameter,
      query: pageQuery,
      returns: pageOf(treeEntry).extend({ leafId: z.string().nullable() }),
      errors: ["AGENT_NOT_FOUND", "AGENT_BAD_CURSOR"],
      async handle({ params, query }) {
        const { id } = await book.get(params.id);
        const transcript = transcripts.of(id);
        const before =
          query.cursor === undefined ? undefined : toCursor(query.cursor);
        const page = await transcript.page(query.limit, before, {
          allBranches: true,
        });
        if (!page) throw errors.AGENT_BAD_CURSOR();
        const leaf = await transcript.page(1);
        return {
          items: page.items.map(toTreeEntry),
          nextCursor: page.next === null ? null : String(page.next),
          leafId: leaf?.items[0]?.id ?? null,
        };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/fork",
      summary: "Continue from an earlier message",
      description:
        "The conversation continues from before the message `entryId`, whose text is given back to be written again. What followed stays in the tree.",
      access: "session",
      idempotent: true,
      params: agentParameter,
      body: z.strictObject({ entryId: z.string().max(100) }),
      returns: z.object({ text: z.string() }),
      errors: [
        "AGENT_NOT_FOUND",
        "AGENT_ENTRY_NOT_FOUND",
        "AGENT_ENTRY_NOT_FORKABLE",
        "AGENT_UNSUPPORTED",
        "AGENT_BUSY",
      ],
      handle: ({ params, body }) => branches.fork(params.id, body.entryId),
    }),
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/clone",
      summary: "Make a new agent that continues a copy of the conversation",
      access: "session",
      idempotent: true,
      params: agentParameter,
      body: z.strictObject({ name: nameInput.optional() }),
      returns: agentView,
      errors: ["AGENT_NOT_FOUND", "AGENT_UNSUPPORTED", "AGENT_BUSY"],
      handle: async ({ params, body }) =>
        toAgentView(await branches.clone(params.id, body.name)),
    }),
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/compact",
      summary: "Shrink the conversation",
      description:
        "Starts a closed agent. Figures that the CLI does not tell are `null`.",
      access: "session",
      params: agentParameter,
      body: z.strictObject({}),
      returns: z.object({
        compacted: z.boolean(),
        tokensBefore: z.number().nullable(),
        tokensAfter: z.number().nullable(),
      }),
      errors: [
        ...AGENT_START_ERRORS,
        "AGENT_BUSY",
        "AGENT_COMPACT_FAILED",
        "AGENT_RUNNING",
      ],
      handle: ({ params, signal }) =>
        parts.compaction.compact(params.id, signal),
    }),
    defineRoute({
      method: "GET",
      path: "/api/agents/{id}/export",
      summary: "The conversation as a file",
      description:
        "JSON Lines in a form that is the same for all CLIs; `html` a page to read, `markdown` text, `native` what the CLI itself keeps.",
      access: "session",
      params: agentParameter,
      query: z.strictObject({
        format: z
          .enum(["jsonl", "native", "html", "markdown"])
          .default("jsonl"),
      }),
      returns: "bytes",
      errors: [
        "AGENT_NOT_FOUND",
        "AGENT_UNSUPPORTED",
        "AGENT_NO_RECORD",
        "AGENT_EXPORT_TOO_LARGE",
      ],
      async handle({ params, query }) {
        const id = params.id;
        switch (query.format) {
          case "html":
            return toDownload(await exports.asPage(id));
          case "markdown":
            return toDownload(await exports.asMarkdown(id));
          case "native":
            return toDownload(await exports.asNative(id));
          case "jsonl":
            return toDownload(await exports.asLines(id));
        }
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/import",
      summary: "Take in a conversation that was exported",
      description:
        "JSON Lines as `export` gives them, into an agent that has no conversation yet. The CLI gets its end as text with the first prompt.",
      access: "session",
      params: agentParameter,
      body: "bytes",
      bodyFormat: {
        mediaType: "application/x-ndjson",
        description: "A line that says what it is, then one line an entry.",
        lines: conversationLine,
      },
      maxBody: MAX_IMPORT_BYTES,
      returns: z.object({ entries: z.number() }),
      errors: [
        "AGENT_NOT_FOUND",
        "AGENT_NOT_EMPTY",
        "AGENT_IMPORT_INVALID",
        "AGENT_IMPORT_MEDIA_TYPE",
      ],
      async handle({ params, body, header }) {
        const { id } = await book.get(params.id);
        const [type = ""] = (header("content-type") ?? "").split(";");
        if (type.trim().toLowerCase() !== "application/x-ndjson")
          throw errors.AGENT_IMPORT_MEDIA_TYPE({ id });
        return { entries: await exports.import(id, body) };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/agents/{id}/share",
      summary: "Share the conversation as an unlisted gist",
      description:
        "Through the user's own `gh`. All who have the address can read it.",
      access: "session",
      idempotent: true,
      params: agentParameter,
      body: z.strictObject({ confirm: z.boolean().default(false) }),
      returns: z.object({ url: z.string() }),
      errors: [
        "AGENT_NOT_FOUND",
        "AGENT_NOT_CONFIRMED",
        "AGENT_TOOL_MISSING",
        "AGENT_SHARE_FAILED",
        "PROCESS_NOT_STARTED",
      ],
      async handle({ params, body, signal }) {
        const agent = await book.get(params.id);
        if (!body.confirm) throw errors.AGENT_NOT_CONFIRMED();
        const description = `A conversation with ${agent.cli}`;
        const file = { ...(await exports.asText(agent.id)), description };
        return { url: await createGist(run, file, signal) };
      },
    }),
  ];
}

function toTreeEntry(entry: Entry): z.infer<typeof treeEntry> {
  const { id, parentId, role, kind, text, at, message } = entry;
  return {
    ...{ id, parentId, role, kind, at },
    text: cutText(text, TREE_TEXT).text,
    forkable: message?.delivery === "prompt",
  };
}

function toDownload({ name, mediaType, body }: ExportedFile): BytesAnswer {
  const encoded = encodeURIComponent(name).replaceAll("'", "%27");
  return bytes(mediaType, body, {
    "content-disposition": `attachment; filename*=UTF-8''${encoded}`,
  });
}
