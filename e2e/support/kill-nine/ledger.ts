import { expect } from "vitest";
import type { ApiClient } from "../api-client.ts";
import { readAll } from "../read-all.ts";

/** Resources that writers create, with the listing that shows each. */
export type Kind = "agents" | "automations" | "runs" | "tasks";

/** A value that one writer sets again and again: what was last acknowledged, and what was last asked for. */
export interface Setting {
  acknowledged: string;
  asked: string;
}

/** What the daemon said yes to, kept outside of it. */
export class Ledger {
  readonly created: Record<Kind, Set<string>> = {
    agents: new Set(),
    automations: new Set(),
    runs: new Set(),
    tasks: new Set(),
  };
  /** Automations whose deletion was acknowledged. */
  readonly deleted = new Set<string>();
  /** The name of one automation, which is changed all the time. */
  readonly name: Setting = { acknowledged: "", asked: "" };
  /** The state of Inbox items by their id. */
  readonly itemStates = new Map<string, Setting>();
}

export interface Run {
  id: string;
  result: "running" | "done" | "skipped" | "failed";
  reason: string | null;
  finishedAt: string | null;
}

/** Where the writers write. */
export interface Targets {
  /** The automation with a webhook, which is fired and renamed. */
  hookId: string;
  secret: string;
  /** A closed agent, whose queue only grows. */
  letterBoxId: string;
}

/** Holds a ledger against a daemon that was started again. Gives the hook's runs. */
export async function expectLedgerKept(
  api: ApiClient,
  ledger: Ledger,
  { hookId, letterBoxId }: Targets,
): Promise<Run[]> {
  const runs = await readAll<Run>(api, `/api/automations/${hookId}/runs`);
  const automations = await readAll<{ id: string; name: string }>(
    api,
    "/api/automations",
  );
  const present: Record<Kind, readonly { id: string }[]> = {
    agents: await readAll(api, "/api/agents"),
    automations,
    runs,
    tasks: await readAll(api, `/api/agents/${letterBoxId}/tasks`),
  };
  for (const [kind, items] of Object.entries(present) as [
    Kind,
    readonly { id: string }[],
  ][]) {
    const ids = new Set(items.map(({ id }) => id));
    expect(ids.size, `${kind} are listed once`).toBe(items.length);
    const lost = [...ledger.created[kind]].filter((id) => !ids.has(id));
    expect(lost, `acknowledged ${kind}`).toEqual([]);
  }
  const revived = automations.filter(({ id }) => ledger.deleted.has(id));
  expect(revived, "deleted automations").toEqual([]);
  const name = automations.find(({ id }) => id === hookId)?.name;
  expectOneOf(name, ledger.name, "name");

  const items = await readAll<{ id: string; state: string }>(api, "/api/inbox");
  const states = new Map(items.map(({ id, state }) => [id, state]));
  for (const [id, setting] of ledger.itemStates)
    expectOneOf(states.get(id), setting, `state of ${id}`);
  return runs;
}

/** A write that was not acknowledged may be there or not, but whole; from now on it is known which. */
function expectOneOf(
  value: string | undefined,
  setting: Setting,
  what: string,
): void {
  expect([setting.acknowledged, setting.asked], what).toContain(value);
  setting.acknowledged = setting.asked = value ?? "";
}
