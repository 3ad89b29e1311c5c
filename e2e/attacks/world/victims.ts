import { join } from "node:path";
import { expect, vi } from "vitest";
import type { ApiClient } from "../../support/api-client.ts";
import type { Daemon } from "../../support/daemon.ts";
import { createGitRepository } from "../../support/git-repository.ts";
import { pairCookie } from "./pair.ts";

/** What is there to be hit: one of everything, and something going on in it. */
export interface Victims {
  /** A git repository. */
  readonly workspace: string;
  /** At work there, with an open question and a message in its queue. */
  readonly agentId: string;
  /** With a webhook, and a run that has ended. */
  readonly automationId: string;
  readonly hookSecret: string;
}

interface Host {
  daemon: Daemon;
  api: ApiClient;
  folder: string;
  secrets: Map<string, string>;
}

/** Makes them, and waits until nothing moves any more. */
export async function fillWorld(host: Host): Promise<Victims> {
  const { api, folder, secrets } = host;
  const workspace = await createGitRepository(join(folder, "workspace"));
  await call(api, "/api/workspaces", { path: workspace, name: "Sample" });
  await pairCookie(host, "Other browser", secrets);

  const { automation, webhookSecret } = await call<{
    automation: { id: string };
    webhookSecret: string;
  }>(api, "/api/automations", {
    name: "Victim",
    prompt: "[[reply:Something to keep.]]",
    workspace,
    webhook: true,
    schedules: [
      { frequency: "custom", cron: "0 3 29 2 *", timeZone: "Etc/UTC" },
    ],
  });
  secrets.set("webhook secret", webhookSecret);
  await call(api, `/api/automations/${automation.id}/run`, {});
  await waitForOne(api, "/api/inbox?kind=result");

  // The newest agent is the one that addresses are filled with.
  const agent = await call<{ id: string }>(api, "/api/agents", {
    name: "Victim",
    cwd: workspace,
  });
  const prompt = (message: string) =>
    call(api, `/api/agents/${agent.id}/prompt`, { message });
  await prompt("[[ask:May I?]][[reply:It was allowed.]]");
  await waitForOne(api, "/api/inbox?blocking=true");
  await prompt("[[reply:It was next.]]");
  return {
    workspace,
    agentId: agent.id,
    automationId: automation.id,
    hookSecret: webhookSecret,
  };
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

async function waitForOne(api: ApiClient, path: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const { body } = await api.call<{ items: unknown[] }>("GET", path);
      expect(body.items).toHaveLength(1);
    },
    { timeout: 20_000 },
  );
}
