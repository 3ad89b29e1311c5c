import { join } from "node:path";
import { expect, vi } from "vitest";
import { send, type ApiClient } from "../../support/api-client.ts";
import type { Daemon } from "../../support/daemon.ts";
import { createGitRepository } from "../../support/git-repository.ts";
import { fillBrowser } from "./browser-victims.ts";
import { pairCookie } from "./pair.ts";
import { makeSnapshotVictim, type SnapshotVictim } from "./snapshot-victim.ts";

/** The targets of attacks: one of everything, and each in use. */
export interface Victims {
  /** A git repository. */
  readonly workspace: string;
  /** Running there, with an open question and a message in its queue. */
  readonly agentId: string;
  /** With a webhook, and a run that has ended. */
  readonly automationId: string;
  readonly hookSecret: string;
  /** One that has no webhook. */
  readonly silentId: string;
  /** A prompt that asks for one of two words, and names the branch. */
  readonly snippetId: string;
  /** A command. */
  readonly commandId: string;
  /** Of all the others. */
  readonly snapshot: SnapshotVictim;
  /** Gives a webhook without calls, since wrong calls are counted for each. */
  takeHook(): Hook;
}

export interface Hook {
  id: string;
  secret: string;
  /** Its address. */
  target: string;
}

interface Host {
  daemon: Daemon;
  api: ApiClient;
  folder: string;
  secrets: Map<string, string>;
}

const HOOKS = 10;

/** Makes them, and waits until nothing moves any more. */
export async function fillWorld(host: Host): Promise<Victims> {
  const { api, folder, secrets } = host;
  const workspace = await createGitRepository(join(folder, "workspace"));
  await call(api, "/api/workspaces", { path: workspace, name: "Sample" });
  await pairCookie(host, "Other browser", secrets);

  const silent = await createAutomation(host, { name: "Silent", workspace });
  const hooks: Hook[] = [];
  while (hooks.length < HOOKS)
    hooks.push(
      toHook(
        await createAutomation(host, {
          name: `Hook ${hooks.length}`,
          workspace,
          webhook: true,
        }),
      ),
    );
  // The newest is the one that addresses are filled with.
  const victim = await createAutomation(host, {
    name: "Victim",
    workspace,
    webhook: true,
    schedules: [
      { frequency: "custom", cron: "0 3 29 2 *", timeZone: "Etc/UTC" },
    ],
  });
  const { automation, webhookSecret = "" } = victim;
  await call(api, `/api/automations/${automation.id}/run`, {});
  await waitForOne(api, "/api/inbox?kind=result");
  // A call that is turned away is in the list of calls.
  const { target } = toHook(victim);
  const authorization = "Bearer wrong";
  await send(host.daemon.base, "POST", target, {}, { authorization });
  await waitForOne(api, `/api/automations/${automation.id}/calls`);

  await call(api, "/api/automations/drafts", {
    description: "[[reply:Something else than a draft.]]",
    cli: "practice",
    timeZone: "Etc/UTC",
  });
  await waitForOne(api, "/api/automations/drafts", ({ finishedAt }) =>
    Boolean(finishedAt),
  );

  const agent = await call<{ id: string }>(api, "/api/agents", {
    name: "Victim",
    cwd: workspace,
  });
  const prompt = (message: string) =>
    call(api, `/api/agents/${agent.id}/prompt`, { message });
  await prompt("[[ask:May I?]][[reply:It was allowed.]]");
  await waitForOne(api, "/api/inbox?blocking=true");
  await prompt("[[reply:It was next.]]");
  await call(api, "/api/terminals", {
    name: "Victim",
    cwd: workspace,
    command: "sh",
  });
  const command = await call<{ id: string }>(api, "/api/snips", {
    kind: "command",
    title: "Command",
    body: "touch canary",
  });
  // The newest is the one that addresses are filled with.
  const snippet = await call<{ id: string }>(api, "/api/snips", {
    title: "Victim",
    body: "Review {{what}} on {{branch}}",
    placeholders: [{ name: "what", enum: ["code", "text"] }],
  });
  await fillBrowser(api, agent.id);
  return {
    workspace,
    snapshot: await makeSnapshotVictim(api, folder),
    agentId: agent.id,
    snippetId: snippet.id,
    commandId: command.id,
    automationId: automation.id,
    hookSecret: webhookSecret,
    silentId: silent.automation.id,
    takeHook() {
      const hook = hooks.pop();
      if (!hook) throw new Error(`There are only ${HOOKS} webhooks to take.`);
      return hook;
    },
  };
}

interface Saved {
  automation: { id: string };
  webhookSecret?: string;
}

async function createAutomation(
  { api, secrets }: Host,
  fields: { name: string; [field: string]: unknown },
): Promise<Saved> {
  const saved = await call<Saved>(api, "/api/automations", {
    prompt: "[[reply:Something to keep.]]",
    ...fields,
  });
  if (saved.webhookSecret)
    secrets.set(`webhook secret of ${fields.name}`, saved.webhookSecret);
  return saved;
}

function toHook({ automation: { id }, webhookSecret = "" }: Saved): Hook {
  return { id, secret: webhookSecret, target: `/api/automations/${id}/fire` };
}

async function call<Body>(
  api: ApiClient,
  path: string,
  body: object,
): Promise<Body> {
  const answer = await api.call<Body>("POST", path, body);
  if (answer.status !== 200)
    throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer.body;
}

/** Waits until a list has one item, which is as it is to be. */
async function waitForOne(
  api: ApiClient,
  path: string,
  isReady: (item: Record<string, unknown>) => boolean = () => true,
): Promise<void> {
  await vi.waitFor(async () => {
    const { body } = await api.call<{ items: Record<string, unknown>[] }>(
      "GET",
      path,
    );
    expect(body.items.filter(isReady)).toHaveLength(1);
  });
}
