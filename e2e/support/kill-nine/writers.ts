import { send } from "../api-client.ts";
import type { ApiClient } from "../api-client.ts";
import type { Daemon } from "../daemon.ts";
import type { Ledger, Run, Setting, Targets } from "./ledger.ts";

const ITEM_STATES = ["unread", "read", "done"] as const;

/** Writers that continue until the daemon is gone, and note what was acknowledged. */
export function startWriters(
  daemon: Daemon,
  api: ApiClient,
  ledger: Ledger,
  targets: Targets,
): Promise<void>[] {
  const { hookId, letterBoxId } = targets;
  const create = async (path: string, body: object) => {
    const answer = await api.call<{ id: string }>("POST", path, body);
    return answer.status === 200 ? answer.body.id : undefined;
  };
  const createAutomation = async () => {
    const { status, body } = await api.call<{ automation: { id: string } }>(
      "POST",
      "/api/automations",
      DAILY,
    );
    return status === 200 ? body.automation.id : undefined;
  };

  return [
    repeat(async () => {
      const id = await create("/api/agents", {
        name: "Writer",
        cli: "practice",
      });
      if (id) ledger.created.agents.add(id);
    }),
    repeat(async () => {
      const id = await createAutomation();
      if (id) ledger.created.automations.add(id);
    }),
    repeat(async () => {
      const id = await createAutomation();
      if (!id) return;
      const { status } = await api.call("DELETE", `/api/automations/${id}`);
      if (status === 200) ledger.deleted.add(id);
    }),
    repeat(async () => {
      const id = await create(`/api/agents/${letterBoxId}/tasks`, {
        payload: { message: "Later" },
      });
      if (id) ledger.created.tasks.add(id);
    }),
    repeat(() => fire(daemon, targets, ledger)),
    repeat(() => fire(daemon, targets, ledger)),
    repeat(() =>
      set(ledger.name, `Renamed ${nextNumber()}`, (name) =>
        api.call("PATCH", `/api/automations/${hookId}`, { name }),
      ),
    ),
    repeat(() => turnItem(api, ledger)),
  ];
}

const DAILY = {
  name: "Daily",
  mode: "start",
  cli: "practice",
  prompt: "Look round",
  schedules: [{ frequency: "daily", time: "04:00", timeZone: "Europe/Vienna" }],
};

let lastNumber = 0;
const nextNumber = () => ++lastNumber;

async function fire(
  daemon: Daemon,
  { hookId, secret }: Targets,
  ledger: Ledger,
): Promise<void> {
  const { status, body } = await send<{ run: { id: string } }>(
    daemon.base,
    "POST",
    `/api/automations/${hookId}/fire`,
    "ping",
    { authorization: `Bearer ${secret}` },
  );
  if (status === 200) ledger.created.runs.add(body.run.id);
}

/** Gives the newest answer in the Inbox the next state. Notices come again, which makes them unread. */
async function turnItem(api: ApiClient, ledger: Ledger): Promise<void> {
  const { body } = await api.call<{ items: { id: string; state: string }[] }>(
    "GET",
    "/api/inbox?kind=result&limit=1",
  );
  const [item] = body.items;
  if (!item) return;
  const setting = ledger.itemStates.get(item.id) ?? {
    acknowledged: item.state,
    asked: item.state,
  };
  ledger.itemStates.set(item.id, setting);
  const state = ITEM_STATES[nextNumber() % ITEM_STATES.length]!;
  await set(setting, state, (value) =>
    api.call("POST", `/api/inbox/${item.id}/state`, { state: value }),
  );
}

/** Asks for a value, and notes it when it was acknowledged. */
async function set(
  setting: Setting,
  value: string,
  ask: (value: string) => Promise<{ status: number }>,
): Promise<void> {
  setting.asked = value;
  const { status } = await ask(value);
  if (status === 200) setting.acknowledged = value;
}

/** Waits for a run that is done and was not among those before. */
export async function untilAnswered(
  api: ApiClient,
  hookId: string,
  before: readonly Run[],
): Promise<void> {
  const known = new Set(before.map(({ id }) => id));
  for (;;) {
    const path = `/api/automations/${hookId}/runs?limit=100`;
    const { body } = await api.call<{ items: Run[] }>("GET", path);
    const isNew = (run: Run) => run.result === "done" && !known.has(run.id);
    if (body.items.some(isNew)) return;
  }
}

/** Does something again and again until the daemon is gone. */
async function repeat(work: () => Promise<void>): Promise<void> {
  try {
    for (;;) await work();
  } catch {
    // The connection broke: whatever was under way was never acknowledged.
  }
}
