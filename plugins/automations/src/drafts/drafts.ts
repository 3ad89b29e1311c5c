import { createIdentifier } from "@gantry/plugin";
import type { NewEvent } from "@gantry/plugin";
import type { Apart } from "../apart.ts";
import { DraftChanged } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Grant } from "../money/spending.ts";
import type { DescribeInput, DraftView } from "../wire/draft.ts";
import { createDraftAgents } from "./draft-agents.ts";
import type { DraftAgentsHost } from "./draft-agents.ts";
import { createDraftShelf } from "./draft-shelf.ts";
import { failed, tryToDraft } from "./draft-tries.ts";
import type { DraftProgress } from "./draft-tries.ts";

/** Has agents draft automations. Nothing that they draft is saved. */
export interface Drafts {
  /** @throws `DRAFT_TOO_MANY`, `DRAFT_SPEND_LIMIT`, and what the agents refuse: a CLI, a model */
  start(input: DescribeInput): Promise<DraftView>;
  /** @throws `DRAFT_NOT_FOUND` */
  get(id: string): DraftView;
  /** Those that are kept, newest first. */
  list(): DraftView[];
  /** Stops the agent. Resolves when it is gone; one that has ended stays as it is. @throws `DRAFT_NOT_FOUND` */
  stop(id: string): Promise<DraftView>;
  /** Removes the agents of drafts that a daemon before this one did not see the end of. */
  clearAway(): Promise<void>;
  /** Resolves when no agent is working. */
  settled(): Promise<void>;
}

/** Dependencies of drafts. */
export interface DraftsHost extends DraftAgentsHost {
  /** Creating an agent is no effect of a request before the draft is announced. */
  apart: Apart;
  emit(...events: NewEvent[]): Promise<void>;
  /** Home folder of the user. */
  userFolder: string;
  limits: { draftCostUsd: number; draftMinutes: number };
}

/** A draft that an agent is to be asked for. */
interface DraftWork {
  id: string;
  agentId: string;
  /** Ids of its runs, one for each try. */
  runIds: readonly string[];
  grant: Grant;
}

const MAX_WORKING = 4;
const RETRY_AFTER_S = 30;

export function createDrafts(host: DraftsHost): Drafts {
  const { spending, clock, log, signal, apart } = host;
  const timeoutMs = Math.round(host.limits.draftMinutes * 60_000);
  const shelf = createDraftShelf(clock);
  const draftAgents = createDraftAgents(host);
  const atWork = new Map<
    string,
    { cancel: AbortController; work: Promise<void> }
  >();

  async function start(input: DescribeInput): Promise<DraftView> {
    if (atWork.size >= MAX_WORKING) {
      const extras = { retryAfter: RETRY_AFTER_S };
      throw errors.DRAFT_TOO_MANY({ limit: MAX_WORKING }, extras);
    }
    const grant = spending.reserve(host.limits.draftCostUsd);
    if (!grant.isGranted)
      throw errors.DRAFT_SPEND_LIMIT({ reason: grant.detail });
    const id = createIdentifier("drf");
    const cancel = new AbortController();
    const task = { cancel, work: Promise.resolve() };
    // Before anything is awaited, so that no more are begun than may be.
    atWork.set(id, task);
    try {
      const runIds = [createIdentifier("run"), createIdentifier("run")];
      const agentId = await apart(() => draftAgents.make(id, input, runIds));
      shelf.put(toNewDraft(id, input));
      await tell(id);
      const work = { id, agentId, runIds, grant };
      task.work = apart(() => carry(work, cancel.signal));
      return find(id);
    } catch (error) {
      grant.release();
      atWork.delete(id);
      shelf.remove(id);
      await apart(() => draftAgents.remove(id));
      throw error;
    }
  }

  const toNewDraft = (id: string, input: DescribeInput): DraftView => ({
    id,
    description: input.description,
    cli: input.cli ?? null,
    model: input.model ?? null,
    timeZone: input.timeZone,
    state: "working",
    isSecondTry: false,
    createdAt: clock.timestamp(),
    finishedAt: null,
    timeoutMs,
    costUsd: null,
    automation: null,
    dropped: [],
    problem: null,
    answer: null,
  });

  /** Leads a draft to its one end. */
  async function carry(
    { id, agentId, runIds, grant }: DraftWork,
    cancelled: AbortSignal,
  ): Promise<void> {
    const { description, timeZone, createdAt } = find(id);
    const { userFolder } = host;
    const { maxCostUsd } = grant;
    const end: DraftProgress = await tryToDraft(
      host,
      {
        ...{ agentId, runIds, description, timeZone, userFolder },
        ...{ timeoutMs, maxCostUsd },
      },
      AbortSignal.any([signal, cancelled]),
      async (progress) => {
        shelf.change(id, progress);
        await tell(id);
      },
    ).catch((error: unknown) => {
      if (!signal.aborted) log.error("Drafting failed", { draftId: id }, error);
      const message =
        "The automation could not be drafted; the daemon's log has the details.";
      return failed({ reason: "agent-error", message, errors: [] });
    });
    const finishedAt = clock.timestamp();
    await count(id, createdAt, finishedAt, end);
    await draftAgents.remove(id);
    grant.release();
    atWork.delete(id);
    // Last, so that a client that sees its end finds everything removed.
    shelf.change(id, { ...end, finishedAt });
    if (signal.aborted) return;
    await tell(id).catch((error: unknown) =>
      log.warn("The end of a draft could not be told", {
        draftId: id,
        why: String(error),
      }),
    );
  }

  /** Counts what it cost in the spend limits. */
  async function count(
    id: string,
    startedAt: string,
    finishedAt: string,
    { problem, costUsd = null }: DraftProgress,
  ): Promise<void> {
    const reason = problem?.reason === "cli-missing" ? "cli-missing" : null;
    const spent = { id, startedAt, finishedAt, reason, costUsd } as const;
    await draftAgents.count(spent).catch((error: unknown) =>
      log.warn("What a draft cost could not be written", {
        draftId: id,
        why: String(error),
      }),
    );
  }

  function tell(id: string): Promise<void> {
    const { state, isSecondTry } = find(id);
    return host.emit(DraftChanged.of(id, { state, isSecondTry }));
  }

  function find(id: string): DraftView {
    const draft = shelf.get(id);
    if (!draft) throw errors.DRAFT_NOT_FOUND({ id });
    return draft;
  }

  return {
    start,
    get: find,
    list: () => shelf.list(),
    async stop(id) {
      find(id);
      const task = atWork.get(id);
      task?.cancel.abort();
      await task?.work;
      return find(id);
    },
    clearAway: () => draftAgents.removeLeftBehind(),
    async settled() {
      await Promise.all([...atWork.values()].map(({ work }) => work));
    },
  };
}
