import { cases } from "@gantry/build/testing";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import {
  listEarlierHomes,
  restoreEarlierHome,
} from "../support/earlier-home.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** What time, or the stop of the earlier daemon, has changed since. */
const PASSING = new Set([
  "activity",
  "armedAt",
  "mode",
  "nextRunAt",
  "online",
  "revision",
  "state",
  "updatedAt",
]);

/** An answer without what may have changed since. */
function withoutPassing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPassing);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) =>
      PASSING.has(name) ? [] : [[name, withoutPassing(part)]],
    ),
  );
}

const itemsOf = async <Item>(api: ApiClient, path: string): Promise<Item[]> =>
  (await api.call<{ items: Item[] }>("GET", path)).body.items;

describe.each(cases(await listEarlierHomes()))("a home of %s", (name) => {
  test("is opened with all that was in it, is worked with, and is opened again", async () => {
    await using folder = await createTemporaryFolder("earlier-home");
    const path = join(folder.path, "home");
    const { answers, entries } = await restoreEarlierHome(name, path);
    {
      await using daemon = await startDaemon(path);
      const api = await createApiClient(daemon);
      for (const [address, before] of Object.entries(answers)) {
        const { status, body } = await api.call("GET", address);
        expect(status, address).toBe(200);
        expect(withoutPassing(body), address).toMatchObject(
          withoutPassing(before) as object,
        );
      }
      await work(api);
      const doctor = await api.call<{
        quarantine: unknown;
        storage: unknown;
        audit: unknown;
      }>("GET", "/api/doctor");
      expect(doctor.body).toMatchObject({
        quarantine: { count: 0 },
        storage: { tooNew: 0, problem: null },
        audit: { state: "intact" },
      });
      expect(
        daemon
          .log()
          .split("\n")
          .filter((line) => line.includes('"level":"error"')),
      ).toEqual([]);
    }
    await using again = await startDaemon(path);
    const api = await createApiClient(again);
    const count = (prefix: string) =>
      Object.keys(entries).filter((key) => key.startsWith(prefix)).length;
    expect(await itemsOf(api, "/api/snips")).toHaveLength(
      count("snippets:snippet:") + 1,
    );
    expect(await itemsOf(api, "/api/agents")).toHaveLength(
      count("agents:agent:"),
    );
  });
});

/** Continues with a home that was made by an earlier version, as a user does. */
async function work(api: ApiClient): Promise<void> {
  const agents = await itemsOf<{ id: string; name: string }>(
    api,
    "/api/agents",
  );
  const agent = agents.find(({ name }) => name === "Old hand");
  expect(
    await api.call("POST", `/api/agents/${agent?.id}/ask`, {
      text: "[[reply:still here]]",
    }),
  ).toMatchObject({ status: 200, body: { answer: "still here" } });
  const [automation] = await itemsOf<{ id: string }>(api, "/api/automations");
  expect(
    await api.call("PATCH", `/api/automations/${automation?.id}`, {
      name: "Every night",
    }),
  ).toMatchObject({ status: 200 });
  expect(
    await api.call("POST", "/api/snips", {
      kind: "prompt",
      title: "New",
      body: "New",
    }),
  ).toMatchObject({ status: 200 });
}
