import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import type { ByteStream, Clock } from "@gantry/plugin";
import type { AgentBook } from "../agents/agent-book.ts";
import type { CliCatalog } from "../clis/cli-catalog.ts";
import { AgentChanged } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Fleet } from "../live/fleet.ts";
import type { Records } from "../records/records.ts";
import type { AgentStreams } from "../stream/agent-streams.ts";
import type { Entry } from "../transcript/entry.ts";
import type { TranscriptLine } from "../transcript/mark.ts";
import type { Transcripts } from "../transcript/transcripts.ts";
import { checkCan } from "./conversation-branches.ts";
import {
  MAX_IMPORT_BYTES,
  readConversation,
  writeConversation,
} from "./conversation-file.ts";
import { ConversationEnd } from "./conversation-end.ts";
import { joinParts, toMarkdownParts } from "./conversation-markdown.ts";
import type { PromptContext } from "./prompt-context.ts";
import type { Spool } from "./spool.ts";

/** Dependencies of {@link ConversationExports}. */
export interface ExportsHost {
  records: Records;
  book: AgentBook;
  catalog: CliCatalog;
  fleet: Fleet;
  transcripts: Transcripts;
  streams: AgentStreams;
  context: PromptContext;
  spool: Spool;
  clock: Clock;
}

/** A file for the user to download. */
export interface ExportedFile {
  name: string;
  mediaType: string;
  body: ByteStream;
}

/** Length of the end of an imported conversation that the CLI gets with the first prompt. */
const MAX_CONTEXT_CHARS = 96 * 1024;
/** Maximum length of a text that is passed to another program. */
const MAX_SHARED_CHARS = 20 * 1024 * 1024;

/** Exports and imports conversations. All formats but {@link ConversationExports.asText} are streamed. */
export class ConversationExports {
  readonly #host: ExportsHost;

  constructor(host: ExportsHost) {
    this.#host = host;
  }

  /** The conversation as JSON Lines, one entry a line, in a format that is the same for all CLIs. */
  async asLines(agentId: string): Promise<ExportedFile> {
    const { book, clock, spool } = this.#host;
    const agent = await book.get(agentId);
    const exportedAt = clock.timestamp();
    const lines = writeConversation(agent, this.#entries(agentId), exportedAt);
    return {
      name: `${toFileName(agent.name)}.jsonl`,
      mediaType: "application/x-ndjson",
      body: await spool.write(lines),
    };
  }

  /** The conversation as an HTML page. */
  async asPage(agentId: string): Promise<ExportedFile> {
    // The renderer takes a while to load, and most daemons never need it.
    const { toHtml } = await import("./conversation-html.ts");
    const agent = await this.#host.book.get(agentId);
    const parts = toMarkdownParts(agent, this.#entries(agentId));
    return {
      name: `${toFileName(agent.name)}.html`,
      mediaType: "text/html; charset=utf-8",
      body: await this.#host.spool.write(toHtml(agent.name, parts)),
    };
  }

  async asMarkdown(agentId: string): Promise<ExportedFile> {
    const agent = await this.#host.book.get(agentId);
    const parts = toMarkdownParts(agent, this.#entries(agentId));
    return {
      name: `${toFileName(agent.name)}.md`,
      mediaType: "text/markdown; charset=utf-8",
      body: await this.#host.spool.write(joinParts(parts)),
    };
  }

  /**
   * The conversation as one Markdown string, to pass to another program.
   *
   * @throws AGENT_SHARE_FAILED if it is longer than {@link MAX_SHARED_CHARS}
   */
  async asText(agentId: string): Promise<{ name: string; text: string }> {
    const agent = await this.#host.book.get(agentId);
    const parts = toMarkdownParts(agent, this.#entries(agentId));
    let text = "";
    for await (const piece of joinParts(parts)) {
      text += piece;
      if (text.length > MAX_SHARED_CHARS)
        throw errors.AGENT_SHARE_FAILED({
          reason: `The conversation is longer than ${MAX_SHARED_CHARS / 1024 / 1024} MB; export it instead.`,
        });
    }
    return { name: `${toFileName(agent.name)}.md`, text };
  }

  /**
   * The CLI's own record of the conversation.
   *
   * @throws AGENT_UNSUPPORTED, AGENT_NO_RECORD, AGENT_EXPORT_TOO_LARGE
   */
  async asNative(agentId: string): Promise<ExportedFile> {
    const { book, catalog } = this.#host;
    const agent = await book.get(agentId);
    const { cli, sessionId, resumeKey, cwd } = agent;
    checkCan(catalog, cli, "nativeExport");
    const driver = catalog.driver(cli);
    const path =
      sessionId !== null && driver?.nativeRecord
        ? await driver.nativeRecord({
            sessionId,
            resumeKey,
            command: await catalog.command(cli),
            cwd,
          })
        : null;
    const size = path === null ? undefined : await sizeOf(path);
    if (path === null || size === undefined)
      throw errors.AGENT_NO_RECORD({ cli });
    if (size > MAX_IMPORT_BYTES)
      throw errors.AGENT_EXPORT_TOO_LARGE({ cli, bytes: size });
    // Up to the size that is announced, since the CLI may append meanwhile.
    const end = Math.max(0, size - 1);
    const stream =
      size === 0 ? Readable.from([]) : createReadStream(path, { end });
    return {
      name: `${toFileName(agent.name)}.${cli}.jsonl`,
      mediaType: "application/x-ndjson",
      body: { length: size, stream },
    };
  }

  /**
   * Imports an exported conversation into an agent that has none. The CLI gets the end of it as text, before the first
   * prompt.
   *
   * @returns the number of its entries
   * @throws AGENT_NOT_EMPTY, AGENT_IMPORT_INVALID
   */
  async import(agentId: string, bytes: Uint8Array): Promise<number> {
    const { records, book, fleet, transcripts, streams, context } = this.#host;
    await book.get(agentId);
    const transcript = transcripts.of(agentId);
    const count = await fleet.exclusively(agentId, async () => {
      // Read inside `exclusively`, since a first prompt may have arrived meanwhile.
      const { sessionId } = await book.get(agentId);
      const { items } = (await transcript.page(1)) ?? { items: [] };
      if (sessionId !== null || items.length > 0 || fleet.get(agentId))
        throw errors.AGENT_NOT_EMPTY();
      const summary = new ConversationEnd(MAX_CONTEXT_CHARS);
      const entries = await transcript.adopt(
        toLines(readConversation(bytes), (entry) => summary.take(entry)),
      );
      await context.add(agentId, toContext(summary.text));
      const { lastMessage } = summary;
      await records.agents.update(agentId, (current) => ({
        record: { ...current, lastMessage },
        events: [AgentChanged.of(agentId, { fields: ["lastMessage"] })],
      }));
      return entries;
    });
    streams.publish(agentId, "branched", {});
    return count;
  }

  async *#entries(agentId: string): AsyncGenerator<Entry> {
    for await (const line of this.#host.transcripts.of(agentId).walk())
      if (line.type === "entry") yield line.entry;
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  return await stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}

function* toLines(
  entries: Iterable<Entry>,
  take: (entry: Entry) => void,
): Generator<TranscriptLine> {
  for (const entry of entries) {
    take(entry);
    yield { type: "entry", entry };
  }
}

function toContext(said: string): string {
  return `This is the end of an earlier conversation, imported from elsewhere:\n<conversation>\n${said}\n</conversation>`;
}

/** Converts a name to a file name that is valid on all systems. */
function toFileName(name: string): string {
  const plain = name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-");
  return plain.replaceAll(/^[-.]+|[-.]+$/g, "").slice(0, 60) || "conversation";
}
