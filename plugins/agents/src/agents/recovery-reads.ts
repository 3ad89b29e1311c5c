import type { Clock, Log, PluginContext } from "@gantry/plugin";
import type { CliCatalog } from "../clis/cli-catalog.ts";
import type { CliRecords } from "../clis/cli-records.ts";
import type { TaskBook } from "../queue/task-book.ts";
import type { Records } from "../records/records.ts";
import type { TaskRecord } from "../records/task-record.ts";
import type { AgentStreams } from "../stream/agent-streams.ts";
import type { Entry } from "../transcript/entry.ts";
import type { Transcripts } from "../transcript/transcripts.ts";

/** Dependencies of the recovery after a crash. */
export interface RecoveryHost {
  records: Records;
  transcripts: Transcripts;
  tasks: TaskBook;
  catalog: CliCatalog;
  cliRecords: CliRecords;
  streams: AgentStreams;
  clock: Clock;
  log: Log;
  /** Runs work outside the request, so that its writes do not claim the request's idempotency key. */
  prepare: PluginContext["prepare"];
  /** Runs work while nothing else starts or stops the agent. */
  exclusively<Result>(
    agentId: string,
    work: () => Promise<Result>,
  ): Promise<Result>;
  /** Called when the recovery of an agent is complete. */
  onDecided(agentId: string): void;
}

/** Number of newest entries that are searched for a turn. For a longer turn, some usage is not counted; no entry is lost. */
const MAX_ENTRIES = 10_000;
const PAGE_SIZE = 500;

/** Finds the entry of a message in the conversation, and whether the agent reported work of its turn after it. */
export async function findMessage(
  host: RecoveryHost,
  { id, agentId, turnId }: Pick<TaskRecord, "id" | "agentId" | "turnId">,
): Promise<{ entry: Entry; wasAnswered: boolean } | undefined> {
  let wasAnswered = false;
  for await (const entry of newestFirst(host, agentId)) {
    if (entry.message?.taskId === id) return { entry, wasAnswered };
    const isWork = entry.role === "assistant" || entry.kind === "usage";
    if (entry.turnId === turnId && isWork) wasAnswered = true;
  }
  return undefined;
}

/** Whether the CLI's own record holds a message; `null` if that is unknown. */
export async function isHeld(
  { records, cliRecords }: RecoveryHost,
  { agentId }: Pick<TaskRecord, "agentId">,
  { text, at }: Entry,
): Promise<boolean | null> {
  const agent = await records.agents.get(agentId);
  return agent ? await cliRecords.holdsPrompt(agent, text, at) : null;
}

/** Yields the entries of a conversation, newest first, up to {@link MAX_ENTRIES}. */
export async function* newestFirst(
  { transcripts }: Pick<RecoveryHost, "transcripts">,
  agentId: string,
): AsyncGenerator<Entry> {
  let before: number | undefined;
  for (let count = 0; count < MAX_ENTRIES;) {
    const page = await transcripts.of(agentId).page(PAGE_SIZE, before);
    if (!page) return;
    yield* page.items;
    count += page.items.length;
    if (page.next === null) return;
    before = page.next;
  }
}
