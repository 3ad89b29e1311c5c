import { readFile, stat } from "node:fs/promises";
import type { Clock } from "@gantry/plugin";
import type { AgentBook } from "../agents/agent-book.ts";
import type { CliCatalog } from "../clis/cli-catalog.ts";
import { AgentChanged } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Fleet } from "../live/fleet.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { Records } from "../records/records.ts";
import type { AgentStreams } from "../stream/agent-streams.ts";
import type { Entry } from "../transcript/entry.ts";
import type { Transcripts } from "../transcript/transcripts.ts";
import { checkCan } from "./conversation-branches.ts";
import {
  MAX_IMPORT_BYTES,
  readConversation,
  writeConversation,
} from "./conversation-file.ts";
import { toMarkdown } from "./conversation-markdown.ts";
import type { PromptContext } from "./prompt-context.ts";

/** What exporting stands on. */
export interface ExportsHost {
  records: Records;
  book: AgentBook;
  catalog: CliCatalog;
  fleet: Fleet;
  transcripts: Transcripts;
  streams: AgentStreams;
  context: PromptContext;
  clock: Clock;
}

/** A file to be saved by the user. */
export interface ExportedFile {
  name: string;
  mediaType: string;
  body: string | Uint8Array;
}

/** The CLI gets so much of an imported conversation, its end, with the first prompt. */
const MAX_TOLD = 96 * 1024;

/** Takes conversations out and in. */
export class ConversationExports {
  readonly #host: ExportsHost;

  constructor(host: ExportsHost) {
    this.#host = host;
  }

  /** The conversation in our own form, one entry a line. */
  async asLines(agentId: string): Promise<ExportedFile> {
    const { agent, entries } = await this.#read(agentId);
    return {
      name: `${toFileName(agent.name)}.jsonl`,
      mediaType: "application/x-ndjson",
      body: writeConversation(agent, entries, this.#host.clock.timestamp()),
    };
  }

  /** The conversation as a page to read. */
  async asPage(agentId: string): Promise<ExportedFile> {
    // The renderer takes a while to load, and most daemons never need it.
    const { toHtml } = await import("./conversation-html.ts");
    const { agent, entries } = await this.#read(agentId);
    return {
      name: `${toFileName(agent.name)}.html`,
      mediaType: "text/html; charset=utf-8",
      body: toHtml(agent.name, toMarkdown(agent, entries)),
    };
  }

  async asMarkdown(agentId: string): Promise<ExportedFile> {
    const { agent, entries } = await this.#read(agentId);
    return {
      name: `${toFileName(agent.name)}.md`,
      mediaType: "text/markdown; charset=utf-8",
      body: toMarkdown(agent, entries),
    };
  }

  /**
   * What the CLI itself keeps of the conversation.
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
    return {
      name: `${toFileName(agent.name)}.${cli}.jsonl`,
      mediaType: "application/x-ndjson",
      body: await readFile(path),
    };
  }

  /**
   * Takes in a conversation that was exported. The CLI gets its end as text, before the first prompt.
   *
   * @returns how many entries it has
   * @throws AGENT_NOT_EMPTY, AGENT_IMPORT_INVALID
   */
  async import(agentId: string, bytes: Uint8Array): Promise<number> {
    const { records, book, fleet, transcripts, streams, context } = this.#host;
    await book.get(agentId);
    const entries = readConversation(bytes);
    const transcript = transcripts.of(agentId);
    await fleet.exclusively(agentId, async () => {
      // Read again in the lane: a first prompt may have come meanwhile.
      const { sessionId } = await book.get(agentId);
      const { items } = (await transcript.page(1)) ?? { items: [] };
      if (sessionId !== null || items.length > 0 || fleet.get(agentId))
        throw errors.AGENT_NOT_EMPTY();
      await transcript.adopt(
        entries.map((entry) => ({ type: "entry" as const, entry })),
      );
      await transcript.close();
      await context.add(agentId, toContext(entries));
      const lastMessage = lastMessageOf(entries);
      await records.agents.update(agentId, (current) => ({
        record: { ...current, lastMessage },
        events: [AgentChanged.of(agentId, { fields: ["lastMessage"] })],
      }));
    });
    streams.publish(agentId, "branched", {});
    return entries.length;
  }

  async #read(
    agentId: string,
  ): Promise<{ agent: AgentRecord; entries: Entry[] }> {
    const { book, transcripts } = this.#host;
    const agent = await book.get(agentId);
    const lines = await transcripts.of(agentId).path();
    const entries = lines.flatMap((line) =>
      line.type === "entry" ? [line.entry] : [],
    );
    return { agent, entries };
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  return await stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}

function toContext(entries: readonly Entry[]): string {
  const said = entries
    .filter(({ kind }) => kind === "text")
    .map(({ role, text }) => `${role === "user" ? "User" : "Agent"}: ${text}`)
    .join("\n\n");
  return `This is what was said before, in a conversation that was taken over from elsewhere:\n<conversation>\n${said.slice(-MAX_TOLD)}\n</conversation>`;
}

function lastMessageOf(entries: readonly Entry[]): string | null {
  const last = entries.findLast(
    ({ role, kind }) => role === "assistant" && kind === "text",
  );
  return last?.text.slice(0, 300) ?? null;
}

/** What a file of any system can be called. */
function toFileName(name: string): string {
  const plain = name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-");
  return plain.replaceAll(/^[-.]+|[-.]+$/g, "").slice(0, 60) || "conversation";
}
