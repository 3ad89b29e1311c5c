import { KernelQuarantine } from "@gantry/plugin";
import type { QuarantinedRecord } from "@gantry/plugin";
import { expect, test } from "vitest";
import { putPlugin } from "@gantry/test-support/daemon";
import { temporaryFolder } from "@gantry/test-support/temporary";
import { startProbe } from "../support/probe.ts";

/** An added plugin that does with the records in quarantine what a request says. */
const ADDED = `export default {
  id: "added", api: 1, summary: "Made for a test", mounts: ["/api/added"],
  needs: { quarantine: { id: "kernel.quarantine@1" } },
  setup(ctx) {
    const { quarantine } = ctx.needs;
    ctx.handler("/api/added/**", async ({ url }) => {
      const [action, id] = url.pathname.split("/").slice(3);
      return { result: await quarantine[action]({ id, by: "ses_forged" }) };
    }, { access: "session" });
  },
};`;

async function start() {
  const home = await temporaryFolder();
  await putPlugin(home, "added", ADDED);
  const kernel = await startProbe(
    { needs: { quarantine: KernelQuarantine } },
    { home },
  );
  const { audit, quarantine } = kernel.kernel.foundation;
  for (const owner of ["added", "probe"])
    await quarantine.keep({
      ...{ owner, key: `${owner}:thing:one`, value: {} },
      reason: "It does not fit.",
    });
  const idOf = (plugin: string) =>
    quarantine.list().find(({ owner }) => owner === plugin)?.id;
  const ask = (action: string, id = "") =>
    kernel.api.post<{ result: QuarantinedRecord[] }>(
      `/api/added/${action}/${id}`,
    );
  const delivered = kernel.ctx.needs as { quarantine: KernelQuarantine };
  return Object.assign(kernel, { ask, audit, delivered, idOf });
}

test("an added plugin reaches its own records in quarantine and those of no other", async () => {
  await using kernel = await start();
  const { ask, idOf } = kernel;
  expect((await ask("list")).body.result).toMatchObject([{ plugin: "added" }]);
  for (const action of ["delete", "restore"])
    expect(await ask(action, idOf("probe")), action).toMatchObject({
      status: 404,
      body: { code: "QUARANTINE_NOT_FOUND" },
    });
  expect(idOf("probe")).toBeDefined();
  expect(await ask("delete", idOf("added"))).toMatchObject({ status: 200 });
  expect(idOf("added")).toBeUndefined();
  await kernel.audit.flush();
  expect(kernel.audit.latest(10)).toContainEqual(
    expect.objectContaining({ action: "quarantine.deleted", by: "added" }),
  );
});

test("a delivered plugin reaches the records of all", async () => {
  await using kernel = await start();
  const { audit, ctx, delivered, idOf } = kernel;
  const { quarantine } = delivered;
  // As in a request or an event, where the code of the plugin runs in its context.
  let work = Promise.resolve();
  ctx.whenStarted(() => {
    work = (async () => {
      const plugins = (await quarantine.list()).map(({ plugin }) => plugin);
      expect(plugins.sort()).toEqual(["added", "probe"]);
      await quarantine.delete({ id: idOf("added")!, by: "ses_one" });
    })();
    return work;
  });
  await expect.poll(() => idOf("added")).toBeUndefined();
  await work;
  await audit.flush();
  expect(audit.latest(10)).toContainEqual(
    expect.objectContaining({
      action: "quarantine.deleted",
      by: "kernel",
      details: expect.objectContaining({ by: "ses_one" }) as object,
    }),
  );
});
