import type { Clock, Log } from "@gantry/plugin";
import type { AgentNotes } from "../agents/agent-notes.ts";
import type { Checkpoints } from "../checkpoints/checkpoints.ts";
import type { CliRecords } from "../clis/cli-records.ts";
import type { Records } from "../records/records.ts";
import type { AgentStreams } from "../stream/agent-streams.ts";
import type { Transcripts } from "../transcript/transcripts.ts";
import type { UsageBook } from "../usage/usage-book.ts";
import type { UsageWindows } from "../usage/usage-windows.ts";
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
  /** Limits of the subscriptions that CLIs use. */
  windows: UsageWindows;
  /** Folders as they were before and after turns. */
  checkpoints: Pick<Checkpoints, "begin" | "end" | "drop" | "warm">;
  /** What the CLIs themselves keep of conversations. */
  cliRecords: CliRecords;
  clock: Clock;
  log: Log;
  /** Work in the background that was silent for so long is not waited for any more. */
  silentWorkMs: number;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
  /** Puts a message back into its queue that was confirmed, and that its CLI turns out not to have. */
  requeue(taskId: string): Promise<void>;
}
