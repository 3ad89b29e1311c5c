import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startBench } from "./support/start.ts";
import type { AutomationView } from "../src/wire/automation.ts";

describe("the secret", () => {
  test("is shown once, and only its hash is kept", async () => {
    await using bench = await startBench();
    const { automation, secret } = await bench.createHook();
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(automation).toMatchObject({
      webhook: true,
      webhookSecretCreatedAt: "2026-03-02T12:00:00.000Z",
    });
    const { api, home, log } = bench.kernel;
    const path = `/api/automations/${automation.id}`;
    const answers = [
      await api.get(path),
      await api.get("/api/automations"),
      await api.patch(path, { name: "New", webhook: true }),
      await api.get("/api/events/log"),
    ];
    expect(JSON.stringify([...answers, log])).not.toContain(secret);
    expect(JSON.stringify(answers)).not.toContain("secretHash");
    expect(await isOnDisk(home, secret)).toBe(false);
  });

  test("is not in the answer to a request with a key, since that answer is kept", async () => {
    await using bench = await startBench();
    const { api, home } = bench.kernel;
    const input = { name: "Hook", prompt: "Go.", webhook: true };
    const create = () =>
      api.post<{ automation: AutomationView; webhookSecret?: string }>(
        "/api/automations",
        input,
        { "idempotency-key": "once" },
      );
    const first = await create();
    expect(first.body).toMatchObject({ automation: { webhook: true } });
    expect(first.body.webhookSecret).toBeUndefined();
    expect((await create()).body).toEqual(first.body);
    const { id } = first.body.automation;
    const { body } = await api.post<{ webhookSecret: string }>(
      `/api/automations/${id}/secret`,
      {},
      { "idempotency-key": "once" },
    );
    expect((await bench.fire(id, body.webhookSecret)).status).toBe(200);
    expect(await isOnDisk(home, body.webhookSecret)).toBe(false);
  });

  test("is made once when it is switched on several times at once", async () => {
    await using bench = await startBench();
    const { id } = await bench.create();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        bench.kernel.api.patch<{ webhookSecret?: string }>(
          `/api/automations/${id}`,
          { webhook: true },
        ),
      ),
    );
    const secrets = answers.flatMap(({ body }) => body.webhookSecret ?? []);
    expect(secrets).toHaveLength(1);
    expect((await bench.fire(id, secrets[0]!)).status).toBe(200);
  });

  test("comes when the webhook is switched on, and is dead when it is off", async () => {
    await using bench = await startBench();
    bench.agents.answer = () => ({});
    const { id } = await bench.create();
    const patch = async (input: object) =>
      (
        await bench.kernel.api.patch<{ webhookSecret?: string }>(
          `/api/automations/${id}`,
          input,
        )
      ).body.webhookSecret;
    const first = (await patch({ webhook: true }))!;
    expect((await bench.fire(id, first)).status).toBe(200);
    expect(await patch({ webhook: true })).toBeUndefined();
    expect(await patch({ webhook: false })).toBeUndefined();
    expect((await bench.fire(id, first)).status).toBe(401);
    expect(await bench.get(id)).toMatchObject({
      webhook: false,
      webhookSecretCreatedAt: null,
    });
    const second = (await patch({ webhook: true }))!;
    expect(second).not.toBe(first);
    expect((await bench.fire(id, first)).status).toBe(401);
    expect((await bench.fire(id, second)).status).toBe(200);
  });

  test("is replaced by a new one, which a restart keeps", async () => {
    await using bench = await startBench();
    bench.agents.answer = () => ({});
    const { automation, secret } = await bench.createHook();
    const path = `/api/automations/${automation.id}/secret`;
    const { status, body, headers } = await bench.kernel.api.post<{
      webhookSecret: string;
    }>(path);
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect((await bench.fire(automation.id, secret)).status).toBe(401);
    expect((await bench.fire(automation.id, body.webhookSecret)).status).toBe(
      200,
    );
    await bench.kernel.restart();
    expect((await bench.fire(automation.id, secret)).status).toBe(401);
    expect((await bench.fire(automation.id, body.webhookSecret)).status).toBe(
      200,
    );
  });

  test("cannot be made for a webhook that is off", async () => {
    await using bench = await startBench();
    const { id } = await bench.create();
    const answer = await bench.kernel.api.post(`/api/automations/${id}/secret`);
    expect(answer).toMatchObject({
      status: 409,
      body: { code: "WEBHOOK_OFF" },
    });
  });

  test("goes with its automation", async () => {
    await using bench = await startBench();
    const { automation, secret } = await bench.createHook();
    await bench.kernel.api.delete(`/api/automations/${automation.id}`);
    expect((await bench.fire(automation.id, secret)).status).toBe(401);
  });
});

/** Whether a text stands anywhere in the store's files. */
async function isOnDisk(home: string, text: string): Promise<boolean> {
  for (const file of await readdir(home))
    if (
      file.startsWith("store") &&
      (await readFile(join(home, file))).includes(text)
    )
      return true;
  return false;
}
