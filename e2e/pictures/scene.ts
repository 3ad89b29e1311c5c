import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import type { Daemon } from "../support/daemon.ts";
import { createGitRepository } from "../support/git-repository.ts";
import { billingFiles } from "./script.ts";

const cli = "demo-agent";

/** Where the people of the pictures live. */
export const timeZone = "Europe/Berlin";

interface Agent {
  id: string;
  activity: string;
  lastMessage: string | null;
}

/** A daemon with running agents, items in the Inbox, and runs to come. */
export interface Scene extends AsyncDisposable {
  daemon: Daemon;
  /** The agent that asks for a permission. */
  asking: string;
  /** The agent that is done, in a worktree. */
  reviewed: string;
}

/** Plays the scene in a folder until all agents are in the state to be shown. */
export async function playScene(folder: string): Promise<Scene> {
  const home = join(folder, "home");
  await mkdir(home, { recursive: true, mode: 0o700 });
  const agent = fileURLToPath(new URL("agent.ts", import.meta.url));
  const acted = { driver: "acp", command: process.execPath, args: [agent] };
  await writeFile(
    join(home, "config.json"),
    JSON.stringify({
      settings: { agents: { clis: { [cli]: { ...acted, cost: "usd" } } } },
    }),
    { mode: 0o600 },
  );
  const repository = (name: string, files?: Record<string, string>) =>
    createGitRepository(join(folder, "code", name), files);
  const storefront = await repository("storefront");
  const billing = await repository("billing-api", billingFiles);
  await appendFile(
    join(billing, ".git", "config"),
    `[remote "origin"]\n\turl = git@github.com:acme/billing-api.git\n`,
  );
  const handbook = await repository("handbook");
  await using stack = new AsyncDisposableStack();
  const daemon = stack.use(await startDaemon(home, { env: { TZ: timeZone } }));
  const api = await createApiClient(daemon);

  async function call<Body>(
    method: string,
    path: string,
    body?: object,
  ): Promise<Body> {
    const answer = await api.call<Body>(method, path, body);
    if (answer.status === 200) return answer.body;
    throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  }

  async function until<Thing>(
    path: string,
    isReached: (thing: Thing) => boolean,
  ): Promise<void> {
    while (!isReached(await call<Thing>("GET", path)))
      await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** Makes an agent, and has it take the prompts one after the other, the last one up to an activity. */
  async function act(
    name: string,
    cwd: string,
    prompts: readonly string[],
    activity: string,
    worktree?: { branch: string },
  ): Promise<string> {
    const { id } = await call<Agent>("POST", "/api/agents", {
      ...{ name, cwd, cli, worktree },
    });
    const path = `/api/agents/${id}`;
    for (const message of prompts) {
      await call("POST", `${path}/prompt`, { message });
      const isLast = message === prompts.at(-1);
      await until<Agent>(path, (agent) =>
        isLast && activity !== "idle"
          ? agent.activity === activity
          : agent.activity === "idle" && agent.lastMessage !== null,
      );
    }
    return id;
  }

  async function automate(
    name: string,
    workspace: string,
    prompt: string,
    schedule: object,
    runs: number,
  ): Promise<void> {
    const { automation } = await call<{ automation: { id: string } }>(
      "POST",
      "/api/automations",
      {
        name,
        workspace,
        prompt,
        cli,
        schedules: [{ ...schedule, timeZone }],
      },
    );
    const path = `/api/automations/${automation.id}`;
    for (let run = 0; run < runs; run += 1) {
      await call("POST", `${path}/run`, {});
      await until<{ activeRunId: string | null }>(
        path,
        ({ activeRunId }) => activeRunId === null,
      );
    }
  }

  await automate(
    "Nightly benchmark",
    billing,
    "Run the benchmarks and compare them with last night.",
    { frequency: "daily", time: "02:15" },
    2,
  );
  await automate(
    "Dependency check",
    storefront,
    "Look for dependencies with known holes.",
    { frequency: "daily", time: "06:00" },
    1,
  );
  await automate(
    "Morning brief",
    storefront,
    "What happened in this repository since yesterday? Ten lines at most.",
    { frequency: "weekdays", time: "08:30" },
    1,
  );
  await automate(
    "Week in review",
    handbook,
    "Sum up the week for the team.",
    { frequency: "weekly", weekday: 5, time: "16:00" },
    0,
  );
  const reviewed = await act(
    "Find slow queries",
    billing,
    [
      "Which queries take longest?",
      "Add the index, and read one page at a time.",
    ],
    "idle",
    { branch: "faster-orders" },
  );
  await act(
    "Write the release notes",
    handbook,
    [
      "Read what was merged since 2.3 and write the release notes.",
      "Put what breaks first, and link each pull request.",
    ],
    "working",
  );
  await act(
    "Move the shop to the new store",
    storefront,
    ["Move the cart to the new store.", "Continue with the other components."],
    "working",
  );
  const asking = await act(
    "Fix the rounding of invoices",
    billing,
    ["Invoices with a discount are a cent off. Find out why, and fix it."],
    "waiting",
  );
  await until<{ blocking: number }>(
    "/api/inbox/badge",
    ({ blocking }) => blocking === 1,
  );
  const owned = stack.move();
  return {
    daemon,
    asking,
    reviewed,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
