import type { ApiClient } from "./api-client.ts";
import type { StreamEvent } from "./event-follower.ts";
import { readAll } from "./read-all.ts";

/** What a client knows that has only ever read events: things by their ids. */
export interface Knowledge {
  sessions: Record<string, unknown>;
  agents: Record<string, unknown>;
  /** Open questions, by the agents that ask. */
  dialogs: Record<string, unknown>;
  /** How many turns have ended. */
  turns: number;
  automations: Record<string, unknown>;
  runs: Record<string, unknown>;
  items: Record<string, unknown>;
}

/** The knowledge of a client before its first event. */
export function knowNothing(): Knowledge {
  return {
    sessions: {},
    agents: {},
    dialogs: {},
    turns: 0,
    automations: {},
    runs: {},
    items: {},
  };
}

type Fold = (known: Knowledge, subject: string, data: never) => void;

const drop = (things: Record<string, unknown>, id: string) => {
  delete things[id];
};

const FOLDS: Record<string, Fold> = {
  "auth.session-created": (known, id, data: { device: string }) => {
    known.sessions[id] = data.device;
  },
  "auth.session-ended": (known, id) => drop(known.sessions, id),
  // The event of a changed name is without the name itself, so a client asks for that.
  "agents.agent-created": (known, id, data: { cli: string }) => {
    known.agents[id] = data.cli;
  },
  "agents.agent-deleted": (known, id) => drop(known.agents, id),
  "agents.dialog-opened": (
    known,
    agentId,
    data: { id: string; title: string },
  ) => {
    known.dialogs[agentId] = { id: data.id, title: data.title };
  },
  "agents.dialog-closed": (known, agentId) => drop(known.dialogs, agentId),
  "agents.turn-finished": (known) => void known.turns++,
  "automations.automation-created": (known, id, data: { name: string }) => {
    known.automations[id] = data.name;
  },
  "automations.automation-changed": (known, id, data: { name: string }) => {
    known.automations[id] = data.name;
  },
  "automations.automation-deleted": (known, id) => {
    drop(known.automations, id);
    for (const [runId, run] of Object.entries(known.runs))
      if ((run as { of: string }).of === id) drop(known.runs, runId);
  },
  "automations.run-started": (known, id, data: { runId: string }) => {
    known.runs[data.runId] = { of: id, result: "running" };
  },
  "automations.run-finished": (
    known,
    id,
    data: { runId: string; result: string; reason: unknown; message: string },
  ) => {
    const { runId, result, reason, message } = data;
    known.runs[runId] = { of: id, result, reason, message };
  },
  "inbox.item-added": (known, id, data: object) => {
    known.items[id] = { ...data };
  },
  "inbox.item-changed": (known, id, data: object) => {
    known.items[id] = { ...data };
  },
  "inbox.item-removed": (known, id) => drop(known.items, id),
};

/** What a client knows after further events. */
export function learn(
  known: Knowledge,
  events: readonly StreamEvent[],
): Knowledge {
  const next = structuredClone(known);
  for (const { type, subject, data } of events)
    FOLDS[type]?.(next, subject, data as never);
  return next;
}

/** The same, as the daemon tells it when it is asked. */
export async function askForAll(api: ApiClient): Promise<Knowledge> {
  const sessions = await api.call<{ items: { id: string; device: string }[] }>(
    "GET",
    "/api/auth/sessions",
  );
  const agents = await readAll<{
    id: string;
    cli: string;
    dialog: { id: string; title: string } | null;
  }>(api, "/api/agents");
  const automations = await readAll<{ id: string; name: string }>(
    api,
    "/api/automations",
  );
  const runs = await Promise.all(
    automations.map(({ id }) =>
      readAll<{
        id: string;
        automationId: string;
        result: string;
        reason: unknown;
        message: string;
      }>(api, `/api/automations/${id}/runs`),
    ),
  );
  const items = await readAll<{
    id: string;
    kind: string;
    title: string;
    blocking: boolean;
    state: string;
    count: number;
  }>(api, "/api/inbox");
  const usage = await api.call<{ total: { turns: number } }>(
    "GET",
    "/api/usage",
  );
  return {
    sessions: byId(sessions.body.items, ({ device }) => device),
    agents: byId(agents, ({ cli }) => cli),
    dialogs: byId(
      agents.filter(({ dialog }) => dialog !== null),
      ({ dialog }) => ({ id: dialog!.id, title: dialog!.title }),
    ),
    turns: usage.body.total.turns,
    automations: byId(automations, ({ name }) => name),
    runs: byId(runs.flat(), ({ automationId, result, reason, message }) =>
      result === "running"
        ? { of: automationId, result }
        : { of: automationId, result, reason, message },
    ),
    items: byId(items, ({ kind, title, blocking, state, count }) => ({
      kind,
      title,
      blocking,
      state,
      count,
    })),
  };
}

function byId<Thing extends { id: string }>(
  things: readonly Thing[],
  view: (thing: Thing) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(things.map((thing) => [thing.id, view(thing)]));
}
