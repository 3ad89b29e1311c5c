import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { faultsIn } from "../attacks/world/health.ts";
import { descendantsOf } from "../attacks/world/processes.ts";
import { readRoutes } from "../attacks/world/routes.ts";
import { createApiClient } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import { fuzzRequests } from "../support/fuzz/requests.ts";
import type { FuzzRequest } from "../support/fuzz/requests.ts";
import type { Definitions } from "../support/fuzz/values.ts";
import { createGitRepository } from "../support/git-repository.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const SEED = Number(process.env.GANTRY_FUZZ_SEED ?? randomInt(2 ** 31));
const REQUESTS = Number(process.env.GANTRY_FUZZ_REQUESTS ?? 20_000);
/** Requests after which ids are read again, and what has piled up is taken away. */
const ROUND = 500;
const AT_ONCE = 8;
/** Whatever is asked is answered by then: a shell command may take 15 s, a start of an agent 30 s. */
const MAX_ANSWER_MS = 60_000;
/** Statuses over 499 that are an answer and no fault: not supported, a helper failed, is missing or slow, no room. */
const ANSWERS = new Set([501, 502, 503, 504, 507]);

test(`${REQUESTS} requests that fit their schemas nearly, seed ${SEED}: none is a fault, none is lost in the daemon`, async () => {
  console.log(
    `Seed: ${SEED}. GANTRY_FUZZ_SEED=${SEED} makes the same choices again.`,
  );
  await using folder = await createTemporaryFolder("fuzz");
  const home = join(folder.path, "home");
  const workspace = await createGitRepository(join(folder.path, "workspace"));
  const counts = new Map<string, number>();
  {
    await using daemon = await startDaemon(home);
    const api = await createApiClient(daemon);
    const routes = await readRoutes(api);
    const definitions = await readDefinitions(api);
    for (let round = 0; round * ROUND < REQUESTS; round++) {
      await furnish(api, workspace);
      const requests = fc.sample(
        fuzzRequests(routes, definitions, await readPools(api), workspace),
        { seed: SEED + round, numRuns: ROUND },
      );
      await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, worker) => {
          for (let at = worker; at < requests.length; at += AT_ONCE)
            await send(api, requests[at]!, counts);
        }),
      );
      await tidyUp(api);
      const { status } = await api.call("GET", "/api/auth/session");
      expect(status).toBe(200);
      expect(faultsIn(daemon.log(), EXPECTED)).toEqual([]);
    }
    expect(await daemon.stop()).toBe(0);
    expect([...descendantsOf(daemon.pid)]).toEqual([]);
  }
  expect(existsSync("/tmp/canary-fuzz")).toBe(false);
  console.log(Object.fromEntries([...counts].sort()));
  await using again = await startDaemon(home);
  const api = await createApiClient(again);
  const { body } = await api.call<{ quarantine: { count: number } }>(
    "GET",
    "/api/doctor",
  );
  expect(body.quarantine.count).toBe(0);
  for (const { method, path, answers } of await readRoutes(api))
    if (method === "GET" && answers === "json" && !path.includes("{"))
      expect((await api.call(method, path)).status, path).toBeLessThan(500);
});

/** Lines of error level that agents cause who crash or fail because they were told to. */
const EXPECTED = [/on purpose/, /crash/i];

async function send(
  api: ApiClient,
  { method, path, body, headers }: FuzzRequest,
  counts: Map<string, number>,
): Promise<void> {
  const sent = `${method} ${path} ${JSON.stringify(body)?.slice(0, 2_000)}`;
  const waiting = new AbortController();
  const answer = await Promise.race([
    api
      .call(method, path, body, headers)
      .catch((error: unknown) => expect.fail(`${sent}: ${String(error)}`)),
    sleep(MAX_ANSWER_MS, undefined, { signal: waiting.signal }),
  ]);
  waiting.abort();
  if (!answer) return expect.fail(`${sent}: no answer`);
  const { status } = answer;
  counts.set(String(status), (counts.get(String(status)) ?? 0) + 1);
  if (status < 500 || ANSWERS.has(status)) return;
  expect.fail(`${sent}: ${status} ${JSON.stringify(answer.body)}`);
}

/** Makes some of everything, so that most ids of a round are there, also after others were deleted. */
async function furnish(api: ApiClient, workspace: string): Promise<void> {
  for (let n = 0; n < 4; n++) {
    await api.call("POST", "/api/snips", { title: `Fuzz ${n}`, body: "{{x}}" });
    const agent = { name: `Fuzz ${n}`, cli: "practice", cwd: workspace };
    const { body } = await api.call<{ id: string }>(
      "POST",
      "/api/agents",
      agent,
    );
    const payload = { message: "[[reply:fine]]" };
    await api.call("POST", `/api/agents/${body.id}/tasks`, { payload });
    await api.call("POST", "/api/automations", {
      name: `Fuzz ${n}`,
      cli: "practice",
      prompt: "[[reply:fine]]",
      webhook: true,
    });
    await api.call("POST", "/api/terminals", { command: "cat" });
  }
}

/** Ids in all lists, by the path of the list. */
async function readPools(api: ApiClient): Promise<Map<string, string[]>> {
  const pools = new Map<string, string[]>();
  const read = async (path: string, template = path) => {
    const { body } = await api.call<{ items?: { id?: string }[] }>("GET", path);
    const ids = body.items?.flatMap(({ id }) => id ?? []) ?? [];
    pools.set(template, ids);
    return ids;
  };
  for (const path of ["snips", "inbox", "terminals", "auth/sessions"])
    await read(`/api/${path}`);
  for (const list of ["annotations", "downloads", "history", "permissions"])
    await read(`/api/browser/${list}`);
  const [agent] = await read("/api/agents");
  await read(`/api/agents/${agent}/tasks`, "/api/agents/{id}/tasks");
  const [automation] = await read("/api/automations");
  const runs = `/api/automations/${automation}`;
  await read(`${runs}/runs`, "/api/automations/{id}/runs");
  await read(`${runs}/calls`, "/api/automations/{id}/calls");
  return pools;
}

async function readDefinitions(api: ApiClient): Promise<Definitions> {
  const { body } = await api.call<{
    components?: { schemas?: Definitions };
  }>("GET", "/api/openapi.json");
  return body.components?.schemas ?? {};
}

/** Ends what works, so that a later round is not refused for the number of things that are open. */
async function tidyUp(api: ApiClient): Promise<void> {
  const each = async (list: string, work: (id: string) => Promise<unknown>) => {
    const { body } = await api.call<{ items: { id: string }[] }>("GET", list);
    await Promise.all(body.items.map(({ id }) => work(id)));
  };
  await each("/api/agents?state=open&limit=500", (id) =>
    api.call("POST", `/api/agents/${id}/close`, {}),
  );
  await each("/api/terminals?limit=500", (id) =>
    api.call("DELETE", `/api/terminals/${id}`),
  );
}
