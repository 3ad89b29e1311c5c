import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { startTestKernel } from "../../../testing/src/index.ts";
import type { TestKernel } from "../../../testing/src/index.ts";
import { createFakeClock } from "../../../testing/src/index.ts";
import { createPairing } from "../../src/auth/pairing.ts";
import {
  comparable,
  cookieOf,
  linkOf,
  redeem,
  whoAmI,
} from "../support/auth.ts";
import { anyText } from "../../../system/test/support/texts.ts";

const MINUTE = 60_000;

test("a typed code pairs once, whatever it is mistaken for when it is typed", async () => {
  await using kernel = await startTestKernel([]);
  const spellings = [
    (code: string) => code,
    (code: string) => code.toLowerCase(),
    (code: string) => code.replaceAll("-", ""),
    (code: string) => ` ${code.replaceAll("-", " ")}\n`,
    (code: string) => code.replaceAll("0", "o").replaceAll("1", "l"),
    (code: string) => code.replaceAll("0", "O").replaceAll("1", "I"),
  ];
  for (const spell of spellings) {
    const { code } = kernel.kernel.pair();
    expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){2}[0-9A-HJKMNP-TV-Z]{4}$/);
    const answer = await redeem(kernel, spell(code));
    expect(answer, spell(code)).toMatchObject({
      status: 200,
      body: { ok: true, session: { device: "Phone", current: true } },
    });
    expect(await whoAmI(kernel, { cookie: cookieOf(answer) })).toMatchObject({
      status: 200,
      body: { kind: "browser" },
    });
    expect(await redeem(kernel, spell(code))).toMatchObject({ status: 401 });
  }
});

test("a link carries 128 bits in its fragment and pairs once; looking at the page spends nothing", async () => {
  await using kernel = await startTestKernel([]);
  const pairing = kernel.kernel.pair();
  expect(pairing.url).toMatch(
    /^http:\/\/gantry\.localhost:\d+\/pair#code=[\w-]{22}$/,
  );
  for (const method of ["GET", "HEAD"])
    for (let n = 0; n < 10; n++) await kernel.stranger.request(method, "/pair");
  expect(await redeem(kernel, linkOf(pairing))).toMatchObject({ status: 200 });
  // The link and what is typed are one code.
  expect(await redeem(kernel, linkOf(pairing))).toMatchObject({ status: 401 });
  expect(await redeem(kernel, pairing.code)).toMatchObject({ status: 401 });
});

test("the cookie is exactly so", async () => {
  await using kernel = await startTestKernel([]);
  const answer = await redeem(kernel, kernel.kernel.pair().code);
  expect(answer.headers.get("set-cookie")).toMatch(
    /^gantry_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=31536000$/,
  );
  expect(JSON.stringify(answer.body)).not.toContain(cookieOf(answer).slice(15));
});

test("a code is good for ten minutes of real time, whatever the clock on the wall says", async () => {
  await using kernel = await startTestKernel([]);
  const good = kernel.kernel.pair();
  expect(good.expiresAt).toBe("2026-03-02T12:10:00.000Z");
  await kernel.clock.advance(10 * MINUTE - 1);
  kernel.clock.jumpWall("2030-01-01T00:00:00.000Z");
  expect(await redeem(kernel, good.code)).toMatchObject({ status: 200 });
  const late = kernel.kernel.pair();
  await kernel.clock.advance(10 * MINUTE);
  kernel.clock.jumpWall("2020-01-01T00:00:00.000Z");
  expect(await redeem(kernel, late.code)).toMatchObject({
    status: 401,
    body: { code: "PAIRING_REFUSED" },
  });
});

test("codes do not outlive the daemon", async () => {
  await using kernel = await startTestKernel([]);
  const { code } = kernel.kernel.pair();
  await kernel.restart();
  expect(await redeem(kernel, code)).toMatchObject({ status: 401 });
});

test("whatever is wrong with a code, the answer is the same to the byte", async () => {
  await using kernel = await startTestKernel([]);
  const { code } = kernel.kernel.pair();
  const spent = kernel.kernel.pair();
  await redeem(kernel, spent.code);
  const wrong = [
    `${code.slice(0, 4)}-2222-2222`,
    "2222-2222-2222",
    spent.code,
    linkOf(spent),
    "",
    "x",
    "a".repeat(22),
    "a".repeat(256),
    "é".repeat(12),
    "\ud800".repeat(12),
    "\0",
    "__proto__",
  ];
  const answers = [];
  for (const input of wrong) {
    answers.push(comparable(await redeem(kernel, input)));
    await kernel.clock.advance(10_000);
  }
  expect(answers[0]).toMatchObject({
    status: 401,
    body: { code: "PAIRING_REFUSED" },
  });
  for (const answer of answers) expect(answer).toEqual(answers[0]);
});

test("a request that does not fit costs no try and pairs no client", async () => {
  await using kernel = await startTestKernel([]);
  const { code } = kernel.kernel.pair();
  const bodies = [
    {},
    { code },
    { device: "x" },
    { code, device: "" },
    { code, device: " " },
    { code, device: "x".repeat(101) },
    { code: 5, device: "x" },
    { code: "x".repeat(257), device: "x" },
    { code, device: "x", role: "admin" },
    { code, device: "x", deviceToken: "y" },
  ];
  for (let n = 0; n < 40; n++) {
    const body = bodies[n % bodies.length] ?? {};
    expect(
      await kernel.stranger.post("/pair", body, { origin: kernel.url }),
      JSON.stringify(body),
    ).toMatchObject({ status: 400 });
  }
  expect(await redeem(kernel, code)).toMatchObject({ status: 200 });
});

test("a paired device makes codes for others, at most five open, and they die with it", async () => {
  await using kernel = await startTestKernel([]);
  interface NewPairing {
    id: string;
    code: string;
    url: string;
    qrSvg: string;
    expiresAt: string;
  }
  const { client, sessionId } = await kernel.pairAs("Laptop");
  const make = async () =>
    (await client.post<NewPairing>("/api/auth/pairings")).body;
  const first = await make();
  expect(first).toEqual({
    id: expect.stringMatching(/^pai_[a-z2-7]{24}$/) as string,
    code: expect.any(String) as string,
    url: expect.stringMatching(/\/pair#code=/) as string,
    qrSvg: expect.stringMatching(/^<svg/) as string,
    expiresAt: "2026-03-02T12:10:00.000Z",
  });
  const more = [
    await make(),
    await make(),
    await make(),
    await make(),
    await make(),
  ];
  expect(await redeem(kernel, first.code)).toMatchObject({ status: 401 });
  expect(await redeem(kernel, more[0]?.code ?? "")).toMatchObject({
    status: 200,
  });
  await kernel.api.delete(`/api/auth/sessions/${sessionId}`);
  for (const { code } of more)
    expect(await redeem(kernel, code)).toMatchObject({ status: 401 });
});

test("no two codes are alike and none can be confused with another", () => {
  const pairing = createPairing(createFakeClock());
  const codes = Array.from({ length: 500 }, () => pairing.create(undefined));
  expect(new Set(codes.map(({ code }) => code)).size).toBe(500);
  expect(new Set(codes.map(({ linkSecret }) => linkSecret)).size).toBe(500);
  for (const { linkSecret } of codes)
    expect(Buffer.from(linkSecret, "base64url")).toHaveLength(16);
});

test("whatever is tried, only the code itself opens", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyText(40),
        fc.string({
          unit: fc.constantFrom(..."0123456789ABCDEFGHJKMNPQRSTVWXYZ"),
          minLength: 12,
          maxLength: 12,
        }),
      ),
      (input) => {
        const pairing = createPairing(createFakeClock());
        const { code } = pairing.create(undefined);
        if (input.toUpperCase() === code.replaceAll("-", "")) return;
        expect(() => pairing.redeem(input, "127.0.0.1")).toThrow(
          /wrong, used or expired/,
        );
        pairing.redeem(code, "127.0.0.1");
      },
    ),
    { numRuns: runs(30) },
  );
});

test("no secret is in any file or log line", async () => {
  await using kernel = await startTestKernel([]);
  const secrets: string[] = [];
  const typed = kernel.kernel.pair();
  secrets.push(typed.code, typed.code.replaceAll("-", ""), typed.linkSecret);
  secrets.push(cookieOf(await redeem(kernel, typed.code)).slice(15));
  const open = kernel.kernel.pair();
  secrets.push(open.code, open.linkSecret);
  await expectNowhere(kernel, secrets);
});

async function expectNowhere(
  kernel: TestKernel,
  secrets: readonly string[],
): Promise<void> {
  const log = JSON.stringify(kernel.log);
  for (const secret of secrets) expect(log).not.toContain(secret);
  for (const name of await readdir(kernel.home, { recursive: true })) {
    const content = await readFile(join(kernel.home, name)).catch(() =>
      Buffer.alloc(0),
    );
    for (const secret of secrets)
      expect(content.includes(secret), name).toBe(false);
  }
}
