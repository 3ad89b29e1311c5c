import type { Clock, Log } from "@gantry/plugin";
import type { AgentNotes } from "../agents/agent-notes.ts";
import type { CliRecords } from "../clis/cli-records.ts";
import type { Records } from "../records/records.ts";
import type { AgentStreams } from "../stream/agent-streams.ts";
import type { Transcripts } from "../transcript/transcripts.ts";
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
  watches: RunWatches;
  /** The CLIs' own records of conversations. */
  cliRecords: CliRecords;
  clock: Clock;
  log: Log;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
  /** Puts a confirmed message back into the queue because the CLI's conversation does not hold it. */
  requeue(taskId: string): Promise<void>;
}
