import { createIdentifier } from "@gantry/plugin";
import type { AgentBook } from "../agents/agent-book.ts";
import type { CliCatalog } from "../clis/cli-catalog.ts";
import { AgentChanged } from "../contract.ts";
import { errors } from "../errors.ts";
import { toResumed } from "../live/cut-off.ts";
import type { Fleet } from "../live/fleet.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { Records } from "../records/records.ts";
import type { AgentStreams } from "../stream/agent-streams.ts";
import type { EarlierSession } from "../transcript/find-session.ts";
import { isUserMessage, type FoundEntry } from "../transcript/find-entry.ts";
import type { Transcripts } from "../transcript/transcripts.ts";

/** Dependencies of {@link ConversationBranches}. */
export interface BranchesHost {
  records: Records;
  book: AgentBook;
  catalog: CliCatalog;
  fleet: Fleet;
  transcripts: Transcripts;
  streams: AgentStreams;
}

type Origin = Pick<
  AgentRecord,
  "sessionId" | "resumeKey" | "reportedCostUsd" | "fork"
>;

const FORKED = "The conversation continues from an earlier message.";

/** Continues conversations from an earlier message, or in a copy. */
export class ConversationBranches {
  readonly #host: BranchesHost;

  constructor(host: BranchesHost) {
    this.#host = host;
  }

  /**
   * Continues from before a message of the user, whose text is returned so that it can be rewritten. What followed it stays as
   * another branch. The CLI makes its copy with the next message.
   *
   * @throws AGENT_NOT_FOUND, AGENT_ENTRY_NOT_FOUND, AGENT_ENTRY_NOT_FORKABLE, AGENT_UNSUPPORTED, AGENT_BUSY
   */
  async fork(agentId: string, entryId: string): Promise<{ text: string }> {
    const { records, book, catalog, fleet, transcripts, streams } = this.#host;
    const agent = await book.get(agentId);
    checkCan(catalog, agent.cli, "fork");
    const transcript = transcripts.of(agentId);
    const found = await transcript.find(entryId);
    if (!found)
      throw errors.AGENT_ENTRY_NOT_FOUND({ id: agentId, entry: entryId });
    const { entry } = found;
    if (!isUserMessage(entry) || entry.message?.delivery === "steer")
      throw errors.AGENT_ENTRY_NOT_FORKABLE({ entry: entryId });
    if (fleet.isBusy(agentId)) throw errors.AGENT_BUSY({ id: agentId });
    await fleet.stop(agentId, FORKED, async () => {
      const earlier = await transcript.findSession(
        found.session?.sessionId ?? "",
      );
      await transcript.branchBefore(found);
      await records.agents.update(agentId, (current) => {
        // What was cut off may be on the branch that is left.
        const { fields, events } = toResumed(current);
        const origin = toOrigin(found, current, earlier);
        const changed = ["sessionId", "context", ...Object.keys(fields)];
        return {
          record: { ...current, ...fields, ...origin, context: null },
          events: [...events, AgentChanged.of(agentId, { fields: changed })],
        };
      });
    });
    streams.publish(agentId, "branched", {});
    return { text: entry.text };
  }

  /**
   * Makes a new agent that continues a copy of the whole conversation.
   *
   * @throws AGENT_NOT_FOUND, AGENT_UNSUPPORTED, AGENT_BUSY
   */
  async clone(agentId: string, name?: string): Promise<AgentRecord> {
    const { book, catalog, fleet, transcripts } = this.#host;
    const agent = await book.get(agentId);
    const { sessionId, resumeKey, reportedCostUsd } = agent;
    if (sessionId !== null) checkCan(catalog, agent.cli, "clone");
    if (fleet.isBusy(agentId)) throw errors.AGENT_BUSY({ id: agentId });
    const { cwd, cli, model, thinking, extraPrompt, readOnly } = agent;
    const id = createIdentifier("agt");
    const transcript = transcripts.of(id);
    // Before the agent itself: it never has a session whose conversation is not there.
    await transcript.adopt(transcripts.of(agentId).walk());
    await transcript.close();
    const fork = agent.fork ?? { keepPrompts: null, leftOut: null };
    return await book.create(
      {
        name: name ?? toCopyName(agent.name),
        ...{ cwd, cli, model, thinking, extraPrompt, readOnly },
      },
      {
        id,
        ...{ sessionId, resumeKey, reportedCostUsd },
        fork: sessionId === null ? null : fork,
        lastMessage: agent.lastMessage,
      },
    );
  }
}

/** @throws AGENT_UNSUPPORTED */
export function checkCan(
  catalog: CliCatalog,
  cli: string,
  capability: "fork" | "clone" | "compact" | "commands" | "nativeExport",
): void {
  if (!catalog.capabilities(cli)[capability])
    throw errors.AGENT_UNSUPPORTED({ cli, capability });
}

/** Where the CLI is to continue, for a branch that begins before an entry. */
function toOrigin(
  { entry, session, promptsBefore }: FoundEntry,
  agent: AgentRecord,
  earlier: EarlierSession | undefined,
): Origin {
  const { sessionId, resumeKey } = session ?? agent;
  if (sessionId === null || promptsBefore === 0) {
    return {
      sessionId: null,
      resumeKey: null,
      reportedCostUsd: null,
      fork: null,
    };
  }
  const reporter = sessionId === agent.sessionId ? agent : earlier;
  return {
    sessionId,
    resumeKey,
    reportedCostUsd: reporter?.reportedCostUsd ?? null,
    fork: { keepPrompts: promptsBefore, leftOut: entry.text },
  };
}

function toCopyName(name: string): string {
  return `${name.slice(0, 93)} (copy)`;
}
