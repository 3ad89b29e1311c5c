import type { Clock, Log } from "@gantry/plugin";
import type { AgentNotes } from "../agents/agent-notes.ts";
import type { Records } from "../records/records.ts";
import type { AgentStreams } from "../stream/agent-streams.ts";
import type { Transcripts } from "../transcript/transcripts.ts";
import type { UsageBook } from "../usage/usage-book.ts";
import type { RunWatches } from "./run-watches.ts";

/** What an open agent stands on. */
export interface LiveHost {
  records: Records;
  notes: AgentNotes;
  /** Sums of what turns cost. */
  usage: UsageBook;
  transcripts: Transcripts;
  streams: AgentStreams;
  watches: RunWatches;
  clock: Clock;
  log: Log;
}
