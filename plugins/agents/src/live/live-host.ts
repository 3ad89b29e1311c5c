import type { Clock, Log } from "@gantry/plugin";
import type { AgentNotes } from "../agents/agent-notes.ts";
import type { CliRecords } from "../clis/cli-records.ts";
import type { Records } from "../records/records.ts";
import type { AgentStreams } from "../stream/agent-streams.ts";
import type { Transcripts } from "../transcript/transcripts.ts";
import type { UsageBook } from "../usage/usage-book.ts";
import type { RunWatches } from "./run-watches.ts";

/** Dependencies of an {@link AgentJournal}. */
export interface JournalHost {
  records: Records;
  transcripts: Transcripts;
  streams: AgentStreams;
}

/** Dependencies of a {@link LiveAgent}. */
export interface LiveHost extends JournalHost {
  notes: AgentNotes;
  /** Sums of what turns cost. */
  usage: UsageBook;
  watches: RunWatches;
  /** What the CLIs themselves keep of conversations. */
  cliRecords: CliRecords;
  clock: Clock;
  log: Log;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
  /** Puts a message back into its queue that was confirmed, and that its CLI turns out not to have. */
  requeue(taskId: string): Promise<void>;
}
