import { join } from "node:path";
import { defineRoute } from "@gantry/plugin";
import { okAnswer } from "@gantry/plugin/zod";
import { describe, expect, test } from "vitest";
import { verifyAudit } from "@gantry/system/audit/verify-audit";
import { startTestKernel } from "../../../testing/src/index.ts";
import type { TestKernel } from "../../../testing/src/index.ts";
import { auditEntries } from "../../../system/test/support/audit.ts";
import { cookieOf, redeem } from "../support/auth.ts";
import { startGated } from "../support/gated-kernel.ts";
import { startProbe } from "../support/probe.ts";

const folderOf = ({ home }: TestKernel) => join(home, "audit");

/** What stands in the log's files right now. */
async function actions(kernel: TestKernel): Promise<string[]> {
  return (await auditEntries(folderOf(kernel))).map(({ action }) => action);
}

async function find(kernel: TestKernel, action: string) {
  return (await auditEntries(folderOf(kernel))).filter(
    (entry) => entry.action === action,
  );
}

test("a start and a stop are written, and the log is intact over both", async () => {
  await using kernel = await startProbe();
  expect(await find(kernel, "daemon.started")).toMatchObject([
    { by: "kernel", details: { pid: process.pid, version: "0.0.0-test" } },
  ]);
  expect(await find(kernel, "plugin.loaded")).toMatchObject([
    { details: { plugin: "probe", origin: "builtin", state: "active" } },
  ]);
  await kernel.restart();
  expect(await actions(kernel)).toContain("daemon.stopped");
  expect(await actions(kernel)).not.toContain("lock.taken-over");
  expect(await verifyAudit(folderOf(kernel))).toMatchObject({
    state: "intact",
  });
});

describe("who is let in", () => {
  test("is on disk before it is answered", async () => {
    await using kernel = await startTestKernel([]);
    const minted = await kernel.api.post<{ id: string; code: string }>(
      "/api/auth/pairings",
    );
    const [{ details: me }] = (await find(kernel, "session.made")) as [never];
    expect(await find(kernel, "pairing.minted")).toMatchObject([
      {
        details: {
          code: minted.body.id,
          by: (me as { session: string }).session,
        },
      },
    ]);
    const paired = await redeem(kernel, minted.body.code, { device: "Phone" });
    const { session } = paired.body;
    expect(await find(kernel, "pairing.used")).toMatchObject([
      { details: { device: "Phone", session: session.id } },
    ]);
    expect((await find(kernel, "session.made")).at(-1)).toMatchObject({
      details: { session: session.id, device: "Phone", address: "127.0.0.1" },
    });
    await kernel.api.delete(`/api/auth/sessions/${session.id}`);
    expect(await find(kernel, "session.revoked")).toMatchObject([
      { details: { session: session.id } },
    ]);
    expect(
      (await actions(kernel)).filter((one) => one === "session.ended"),
    ).toHaveLength(1);
  });

  test("by the command line is reported too", async () => {
    await using kernel = await startTestKernel([]);
    const { id } = kernel.kernel.pair();
    await kernel.kernel.foundation.audit.flush();
    expect(await find(kernel, "pairing.minted")).toMatchObject([
      { details: { code: id, by: "command line" } },
    ]);
  });

  test("and no code, token or cookie stands in the log", async () => {
    await using kernel = await startTestKernel([]);
    const { body } = await kernel.api.post<{ code: string; url: string }>(
      "/api/auth/pairings",
    );
    const paired = await redeem(kernel, body.code, {
      device: "Pad",
    });
    const token = cookieOf(paired).split("=")[1]!;
    const text = JSON.stringify(await auditEntries(folderOf(kernel)));
    for (const secret of [
      body.code.replaceAll("-", ""),
      body.url.split("=")[1]!,
      token,
    ])
      expect(text.replaceAll("-", "")).not.toContain(
        secret.replaceAll("-", ""),
      );
  });
});

test("wrong codes are reported once a minute, with their number", async () => {
  await using kernel = await startTestKernel([]);
  for (let round = 0; round < 50; round++) await redeem(kernel, "AAAABBBBCCCC");
  await kernel.clock.advance(60_000);
  await kernel.kernel.foundation.audit.flush();
  const failed = await find(kernel, "pairing.failed");
  expect(failed.length).toBeLessThanOrEqual(4);
  expect(failed.reduce((sum, { again = 1 }) => sum + again, 0)).toBe(50);
  expect(failed[0]).toMatchObject({ details: { address: "127.0.0.1" } });
});

test("a rotated token and a changed mode are reported, with who did it", async () => {
  await using kernel = await startTestKernel([]);
  await kernel.api.put("/api/auth/mode", { mode: "loopback" });
  expect(await find(kernel, "mode.changed")).toMatchObject([
    {
      details: {
        from: "all",
        to: "loopback",
        by: expect.stringMatching(/^ses_/) as string,
      },
    },
  ]);
  await kernel.api.post("/api/auth/token/rotate", { sessions: true });
  expect(await find(kernel, "token.rotated")).toMatchObject([
    { details: { by: expect.stringMatching(/^ses_/) as string } },
  ]);
  expect(await actions(kernel)).toEqual(
    expect.arrayContaining(["session.ended", "session.made"]),
  );
});

describe("who is refused", () => {
  test.each([
    [
      "a name",
      { headers: [["host", "evil.example"]] },
      "host.refused",
      { host: "evil.example" },
    ],
    [
      "an origin",
      { method: "POST", headers: [["origin", "http://evil.example"]] },
      "origin.refused",
      { origin: "http://evil.example" },
    ],
    [
      "a site",
      { headers: [["sec-fetch-site", "cross-site"]] },
      "origin.refused",
      { site: "cross-site" },
    ],
  ] as const)("for %s is reported", async (_, request, action, details) => {
    await using kernel = await startGated();
    const send = action === "host.refused" ? sendAs(kernel) : kernel.sendPaired;
    for (let round = 0; round < 30; round++)
      expect(
        (await send({ target: "/api/probe?secret=x", ...request })).status,
      ).toBe(403);
    await kernel.clock.advance(60_000);
    await kernel.kernel.foundation.audit.flush();
    expect(await find(kernel, action)).toMatchObject([
      { details: { ...details, path: "/api/probe", address: "127.0.0.1" } },
      { again: 29 },
    ]);
  });

  test("at a socket's door is reported", async () => {
    await using kernel = await startGated();
    const answer = await kernel.sendPaired({
      target: "/api/probe/socket",
      headers: [
        ["upgrade", "websocket"],
        ["connection", "upgrade"],
        ["origin", "http://evil.example"],
      ],
    });
    expect(answer.status).toBe(403);
    await kernel.kernel.foundation.audit.flush();
    expect(await find(kernel, "origin.refused")).toHaveLength(1);
  });

  test("and who is let through costs the log nothing", async () => {
    await using kernel = await startGated();
    const before = await actions(kernel);
    for (let round = 0; round < 20; round++)
      expect((await kernel.sendPaired({ target: "/api/probe" })).status).toBe(
        200,
      );
    expect(await actions(kernel)).toEqual(before);
  });
});

/** Sends with one Host only, that of the test. */
function sendAs(
  kernel: Awaited<ReturnType<typeof startGated>>,
): typeof kernel.send {
  return async (request) => {
    const { sendRaw } = await import("../support/raw-http.ts");
    return sendRaw(kernel.port, request);
  };
}

describe("a plugin", () => {
  test("writes under its own name, on disk before it continues", async () => {
    await using kernel = await startProbe();
    await kernel.ctx.audit("probe.secret-made", { id: "prb_1" });
    expect((await auditEntries(folderOf(kernel))).at(-1)).toMatchObject({
      by: "probe",
      action: "probe.secret-made",
      details: { id: "prb_1" },
    });
  });

  test("may let what unauthenticated clients do be summed up", async () => {
    await using kernel = await startProbe();
    for (let round = 0; round < 100; round++)
      await kernel.ctx.audit(
        "probe.hook-refused",
        { id: "prb_1" },
        { summed: true },
      );
    await kernel.clock.advance(60_000);
    await kernel.kernel.foundation.audit.flush();
    expect(await find(kernel, "probe.hook-refused")).toMatchObject([
      {},
      { again: 99 },
    ]);
  });

  test("is told when its action has no name of the usual form, and writes nothing once it has stopped", async () => {
    await using kernel = await startProbe({
      setup(ctx) {
        ctx.route(
          defineRoute({
            method: "POST",
            path: "/api/probe",
            summary: "Made for a test",
            access: "session",
            returns: okAnswer,
            handle: () => ({ ok: true as const }),
          }),
        );
      },
    });
    const { ctx } = kernel;
    await expect(ctx.audit("Secret made")).rejects.toThrow(/area.past-tense/);
    await kernel.kernel.plugins.stop("probe");
    await expect(ctx.audit("probe.secret-made")).rejects.toMatchObject({
      code: "PLUGIN_STOPPED",
    });
  });
});
