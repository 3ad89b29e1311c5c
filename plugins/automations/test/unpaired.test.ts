import { expect, test } from "vitest";
import { startBench } from "./support/start.ts";

test("every route needs a session, except the webhook, whose secret opens nothing else", async () => {
  await using bench = await startBench();
  const { automation, secret } = await bench.createHook();
  await bench.fire(automation.id, secret);
  const { stranger, url, api } = bench.kernel;
  const calls = `/api/automations/${automation.id}/calls`;
  const { body } = await api.get<{ items: { id: string }[] }>(calls);
  const { paths } = (
    await api.get<{ paths: Record<string, object> }>("/api/openapi.json")
  ).body;
  const operations = Object.entries(paths)
    .filter(([path]) => /^\/api\/automations(\/|$)/.test(path))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({
        method: method.toUpperCase(),
        path: path
          .replace("{id}", automation.id)
          .replace("{callId}", body.items[0]!.id),
      })),
    )
    .filter(({ path }) => !path.endsWith("/fire"));
  expect(operations.length).toBeGreaterThan(15);
  const before = await bench.runs(automation.id);
  const answers = await Promise.all(
    operations.flatMap(({ method, path }) =>
      ["", `Bearer ${secret}`].map((authorization) =>
        stranger.request(method, path, {
          headers: { origin: url, authorization },
        }),
      ),
    ),
  );
  for (const { status, body } of answers) {
    expect(status).toBe(401);
    if (body) expect(body).toMatchObject({ code: "AUTH_NOT_PAIRED" });
  }
  expect(await bench.runs(automation.id)).toEqual(before);
});
