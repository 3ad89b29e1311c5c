import type { Clock, Log, PluginContext } from "@gantry/plugin";
import type { CliCatalog } from "../clis/cli-catalog.ts";
import type { CliRecords } from "../clis/cli-records.ts";
import type { TaskBook } from "../queue/task-book.ts";
import type { Records } from "../records/records.ts";
import type { TaskRecord } from "../records/task-record.ts";
import type { AgentStreams } from "../stream/agent-streams.ts";
import type { Entry } from "../transcript/entry.ts";
import type { Transcripts } from "../transcript/transcripts.ts";
import type { UsageBook } from "../usage/usage-book.ts";

/** Dependencies of the recovery after a crash. */
export interface RecoveryHost {
  records: Records;
  usage: UsageBook;
  transcripts: Transcripts;
  tasks: TaskBook;
  catalog: CliCatalog;
  cliRecords: CliRecords;
  streams: AgentStreams;
  clock: Clock;
  log: Log;
  /** Runs work that is not the effect of a request. */
  prepare: PluginContext["prepare"];
  /** Runs work while nothing else starts or stops the agent. */
  exclusively<Result>(
    agentId: string,
    work: () => Promise<Result>,
  ): Promise<Result>;
}

/** How many of the newest entries a turn is looked for in; a longer one loses figures, never entries. */
const MAX_ENTRIES = 10_000;
const PAGE = 500;

/** The entry of a message in the conversation, and whether the agent did anything behind it. */
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

/** Whether the CLI's own record has a message; `null` if it does not tell. */
export async function isHeld(
  { records, cliRecords }: RecoveryHost,
  { agentId }: Pick<TaskRecord, "agentId">,
  { text, at }: Entry,
): Promise<boolean | null> {
  const agent = await records.agents.get(agentId);
  return agent ? await cliRecords.holdsPrompt(agent, text, at) : null;
}

/** The newest entries of a conversation. */
export async function* newestFirst(
  { transcripts }: Pick<RecoveryHost, "transcripts">,
  agentId: string,
): AsyncGenerator<Entry> {
  let before: number | undefined;
  for (let count = 0; count < MAX_ENTRIES;) {
    const page = await transcripts.of(agentId).page(PAGE, before);
    if (!page) return;
    yield* page.items;
    count += page.items.length;
    if (page.next === null) return;
    before = page.next;
  }
}
