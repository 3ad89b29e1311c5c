import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { whoAmI } from "../support/auth.ts";
import { startProbe } from "../support/probe.ts";
import type { ProbedKernel } from "../support/probe.ts";
import { readHome, replaceWith } from "../support/whole-home.ts";
import type { StagedHome } from "../support/whole-home.ts";

const tokenOf = async ({ home }: ProbedKernel) =>
  (await readFile(join(home, "token"), "utf8")).trim();
const statusOf = async (kernel: ProbedKernel, token: string) =>
  (await whoAmI(kernel, { authorization: `Bearer ${token}` })).status;

/** Restores all, and lets browsers stay paired. */
async function restore(
  kernel: ProbedKernel,
  staged: StagedHome,
): Promise<void> {
  const replaced = kernel.replaced();
  await replaceWith(kernel.ctx.wholeHome, staged);
  await replaced;
}

test("a token that was replaced stays dead after a restore, a second one and its undo", async () => {
  await using kernel = await startProbe();
  const store = await readHome(kernel.ctx.wholeHome);
  const rotate = async () =>
    (await kernel.api.post<{ token: string }>("/api/auth/token/rotate")).body
      .token;
  const first = await tokenOf(kernel);
  const second = await rotate();
  for (let time = 0; time < 2; time++) {
    await restore(kernel, { store, files: { token: `${first}\n` } });
    expect(await statusOf(kernel, first)).toBe(401);
    // The one that was good then still is.
    expect(await tokenOf(kernel)).toBe(second);
    expect(await statusOf(kernel, second)).toBe(200);
  }
  const third = await rotate();
  await restore(kernel, { store, files: { token: `${second}\n` } });
  expect(await statusOf(kernel, second)).toBe(401);
  expect(await statusOf(kernel, third)).toBe(200);
  // One that was never here is brought, and replaces the one that is.
  await restore(kernel, { store, files: { token: "brought\n" } });
  expect(await statusOf(kernel, "brought")).toBe(200);
  expect(
    await readFile(join(kernel.home, "revoked-tokens.json"), "utf8"),
  ).not.toContain(second);
});

test(
  "a revoked token that is put back by hand is replaced at the next start",
  { tags: ["thorough"] },
  async () => {
    await using kernel = await startProbe();
    const first = await tokenOf(kernel);
    await kernel.api.post("/api/auth/token/rotate");
    await writeFile(join(kernel.home, "token"), `${first}\n`);
    await kernel.restart();
    expect(await statusOf(kernel, first)).toBe(401);
    expect(await tokenOf(kernel)).not.toBe(first);
    expect(await statusOf(kernel, await tokenOf(kernel))).toBe(200);
  },
);

test(
  "a session that was revoked stays so after a restore that keeps sessions",
  { tags: ["thorough"] },
  async () => {
    await using kernel = await startProbe();
    const phone = await kernel.pairAs("Phone");
    const store = await readHome(kernel.ctx.wholeHome);
    const who = async () =>
      (await whoAmI(kernel, { cookie: phone.cookie })).status;
    expect(await who()).toBe(200);
    expect((await phone.client.post("/api/auth/logout")).status).toBe(200);
    for (let time = 0; time < 2; time++) {
      await restore(kernel, { store });
      expect(await who()).toBe(401);
    }
  },
);

test("that all must pair stays chosen, although a restore brings that this machine need not", async () => {
  await using kernel = await startProbe();
  const choose = (mode: string) => kernel.api.put("/api/auth/mode", { mode });
  const local = async () =>
    (await kernel.stranger.get("/api/auth/session")).status;
  await choose("loopback");
  const store = await readHome(kernel.ctx.wholeHome);
  await restore(kernel, { store });
  expect(await local()).toBe(200);
  await choose("all");
  await restore(kernel, { store });
  expect(await local()).toBe(401);
  await choose("loopback");
  await restore(kernel, { store });
  expect(await local()).toBe(200);
});
