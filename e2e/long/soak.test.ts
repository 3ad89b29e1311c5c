import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { faultsIn } from "../attacks/world/health.ts";
import { createApiClient } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import { createGitRepository } from "../support/git-repository.ts";
import { sampleProcess } from "../support/process-sample.ts";
import type { ProcessSample } from "../support/process-sample.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const MINUTES = Number(process.env.GANTRY_SOAK_MINUTES ?? 30);
const PER_SECOND = 20;
const SAMPLE_MS = 15_000;
/** Lives of each kind at a time, so that a slow step does not hold up the pace. */
const SIDE_BY_SIDE = 4;

/** What each figure may grow by between the second quarter of the time and the last one. */
const MAX_GROWTH: ProcessSample = {
  memoryBytes: 24 * 1024 * 1024,
  descriptors: 4,
  processes: 2,
  files: 10,
  fileBytes: 4 * 1024 * 1024,
  rows: 60,
};

const TIMEOUT_MS = (MINUTES + 5) * 60_000;

test(
  `${MINUTES} minutes of ${PER_SECOND} operations a second leave nothing behind`,
  { timeout: TIMEOUT_MS },
  async () => {
    await using folder = await createTemporaryFolder("soak");
    const workspace = await createGitRepository(join(folder.path, "workspace"));
    await using daemon = await startDaemon(join(folder.path, "home"));
    const api = await createApiClient(daemon);
    const lives = Array.from({ length: SIDE_BY_SIDE }, () =>
      createLives(api, workspace),
    ).flat();
    const samples: ProcessSample[] = [];
    const end = performance.now() + MINUTES * 60_000;
    let due = performance.now();
    let steps = 0;
    let skipped = 0;
    let sampleAt = performance.now() + SAMPLE_MS;
    const pending = new Set<Promise<void>>();
    const failures: unknown[] = [];
    while (performance.now() < end && failures.length === 0) {
      await sleep(Math.max(0, due - performance.now()));
      due += 1_000 / PER_SECOND;
      const life = lives[(steps + skipped) % lives.length]!;
      if (life.isBusy) skipped++;
      else {
        steps++;
        const step = life
          .next()
          .catch((error: unknown) => void failures.push(error));
        pending.add(step);
        void step.finally(() => pending.delete(step));
      }
      if (performance.now() >= sampleAt) {
        sampleAt += SAMPLE_MS;
        samples.push(sampleProcess(daemon));
      }
    }
    await Promise.all(pending);
    expect(failures).toEqual([]);
    expect(faultsIn(daemon.log(), [])).toEqual([]);
    const quarter = Math.floor(samples.length / 4);
    const early = medians(samples.slice(quarter, 2 * quarter));
    const last = medians(samples.slice(-quarter));
    const memory = samples.map(({ memoryBytes }) =>
      Math.round(memoryBytes / 2 ** 20),
    );
    console.log({ steps, skipped, early, last, memory: memory.join(" ") });
    for (const name of Object.keys(MAX_GROWTH) as (keyof ProcessSample)[])
      expect(last[name] - early[name], `growth of ${name}`).toBeLessThanOrEqual(
        MAX_GROWTH[name],
      );
  },
);

/** Something that is made, used and taken away again, a step at a time. */
interface Life {
  /** Takes the next step, which must not be asked for while one is taken. */
  next(): Promise<void>;
  readonly isBusy: boolean;
}

function medians(samples: readonly ProcessSample[]): ProcessSample {
  const middle = (name: keyof ProcessSample) =>
    samples.map((sample) => sample[name]).sort((a, b) => a - b)[
      Math.floor(samples.length / 2)
    ] ?? 0;
  return {
    memoryBytes: middle("memoryBytes"),
    descriptors: middle("descriptors"),
    processes: middle("processes"),
    files: middle("files"),
    fileBytes: middle("fileBytes"),
    rows: middle("rows"),
  };
}

/** What users do all day, as many lives side by side as there are kinds. */
function createLives(api: ApiClient, workspace: string): Life[] {
  const call = async <Body = { id: string }>(
    method: string,
    path: string,
    body?: object,
  ): Promise<Body> => {
    const answer = await api.call<Body>(method, path, body);
    expect(
      answer.status,
      `${method} ${path}: ${JSON.stringify(answer.body)}`,
    ).toBe(200);
    return answer.body;
  };
  return [
    repeat(async function* () {
      const { id } = await call("POST", "/api/snips", {
        kind: "prompt",
        title: "Soak",
        body: "Look at {{what}}.",
      });
      yield;
      await call("PATCH", `/api/snips/${id}`, { title: "Soaked" });
      yield;
      await call("POST", `/api/snips/${id}/expand`, { values: { what: "it" } });
      yield;
      await call("DELETE", `/api/snips/${id}`);
    }),
    repeat(async function* () {
      const { id } = await call("POST", "/api/agents", {
        name: "Soak",
        cli: "practice",
        cwd: workspace,
      });
      for (let turn = 0; turn < 3; turn++) {
        yield;
        await call("POST", `/api/agents/${id}/ask`, {
          text: "[[cost:0.01]][[run:echo out]][[reply:fine]]",
        });
      }
      yield;
      await call("POST", `/api/agents/${id}/bash`, { command: "echo out" });
      for (const part of ["gitstatus", "files?q=read", "git", "messages"]) {
        yield;
        await call("GET", `/api/agents/${id}/${part}`);
      }
      yield;
      await call("DELETE", `/api/agents/${id}`, {
        transcript: true,
        workFolder: true,
      });
    }),
    repeat(async function* () {
      const { automation } = await call<{ automation: { id: string } }>(
        "POST",
        "/api/automations",
        { name: "Soak", cli: "practice", prompt: "[[reply:fine]]", workspace },
      );
      yield;
      await call("POST", `/api/automations/${automation.id}/run`, {});
      for (let look = 0; look < 20; look++) {
        yield;
        await call("GET", `/api/automations/${automation.id}/runs`);
      }
      yield;
      await call("DELETE", `/api/automations/${automation.id}`);
      // Its agent stays, with its conversations.
      yield;
      const { items } = await call<{
        items: { id: string; automationId: string | null }[];
      }>("GET", "/api/agents?q=Soak&limit=500");
      for (const { id, automationId } of items) {
        if (automationId !== automation.id) continue;
        yield;
        await call("DELETE", `/api/agents/${id}`, {
          transcript: true,
          workFolder: true,
        });
      }
    }),
    repeat(async function* () {
      const { id } = await call("POST", "/api/terminals", { command: "sh" });
      yield;
      await call("POST", `/api/terminals/${id}/type`, {
        text: "echo out",
      });
      yield;
      await call("DELETE", `/api/terminals/${id}`);
    }),
    repeat(async function* () {
      for (const path of [
        "agents",
        "automations",
        "snips",
        "inbox",
        "terminals",
        "usage",
        "doctor",
        "plugins",
      ]) {
        await call("GET", `/api/${path}`);
        yield;
      }
      const { items } = await call<{ items: { id: string }[] }>(
        "GET",
        "/api/inbox",
      );
      for (const { id } of items.slice(0, 10)) {
        yield;
        // Another one of these lives may have been faster.
        const { status } = await api.call("DELETE", `/api/inbox/${id}`);
        expect([200, 404]).toContain(status);
      }
    }),
  ];
}

/** Lives one life after the other. */
function repeat(live: () => AsyncGenerator<void>): Life {
  let life = live();
  let isBusy = false;
  return {
    get isBusy() {
      return isBusy;
    },
    async next() {
      isBusy = true;
      try {
        const { done } = await life.next();
        if (done) life = live();
      } finally {
        isBusy = false;
      }
    },
  };
}
