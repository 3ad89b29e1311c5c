import fc from "fast-check";
import { expect, test } from "vitest";
import {
  createFakeClock,
  startTestKernel,
} from "../../../testing/src/index.ts";
import { createPairing } from "../../src/auth/pairing.ts";
import type { NewCode } from "../../src/auth/pairing.ts";
import { comparable, linkOf, redeem } from "../support/auth.ts";

const MINUTE = 60_000;

test("five wrong tries kill that one code and no other", async () => {
  await using kernel = await startTestKernel([]);
  const [attacked, other] = [kernel.kernel.pair(), kernel.kernel.pair()];
  const almost = kernel.kernel.pair();
  const guess = (code: string) =>
    redeem(kernel, `${code.slice(0, 4)}-2222-2222`);
  for (let n = 0; n < 5; n++) await guess(attacked.code);
  for (let n = 0; n < 4; n++) await guess(almost.code);
  expect(await redeem(kernel, attacked.code)).toMatchObject({ status: 401 });
  expect(await redeem(kernel, linkOf(attacked))).toMatchObject({ status: 401 });
  expect(await redeem(kernel, almost.code)).toMatchObject({ status: 200 });
  expect(await redeem(kernel, linkOf(other))).toMatchObject({ status: 200 });
});

test("thirty tries a minute, then it says when to come back; no header changes that, and the owner is never locked out", async () => {
  await using kernel = await startTestKernel([]);
  const { code } = kernel.kernel.pair();
  const tries = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      redeem(kernel, "2222-2222-2222", {
        "x-forwarded-for": `1.2.3.${n}`,
        forwarded: `for=1.2.3.${n}`,
        "x-real-ip": "4.4.4.4",
      }),
    ),
  );
  const statuses = tries.map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(30);
  expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  const refused = tries.find(({ status }) => status === 429);
  expect(refused?.body).toMatchObject({ code: "PAIRING_TOO_MANY" });
  const wait = Number(refused?.headers.get("retry-after"));
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(2);
  await kernel.clock.advance(wait * 1000);
  expect(await redeem(kernel, "2222-2222-2222")).toMatchObject({ status: 401 });
  expect(await redeem(kernel, "2222-2222-2222")).toMatchObject({ status: 429 });
  expect(await redeem(kernel, code)).toMatchObject({ status: 200 });
  expect(kernel.kernel.pair().code).toBeDefined();
});

test(
  "a program that sends 20 wrong codes a second costs the owner neither a link nor a code",
  { tags: "thorough" },
  async () => {
    await using kernel = await startTestKernel([]);
    const guessFor = async (seconds: number) => {
      const statuses = new Set<number>();
      for (let n = 0; n < 20 * seconds; n++) {
        const input = n % 2 ? "2222-2222-2222" : "x".repeat(22);
        statuses.add((await redeem(kernel, input)).status);
        await kernel.clock.advance(50);
      }
      expect([...statuses].sort()).toEqual([401, 429]);
    };
    for (let round = 0; round < 5; round++) {
      const [typed, link] = [kernel.kernel.pair(), kernel.kernel.pair()];
      await guessFor(10);
      expect(await redeem(kernel, typed.code)).toMatchObject({ status: 200 });
      expect(await redeem(kernel, linkOf(link))).toMatchObject({ status: 200 });
    }
  },
);

test("over the budget five wrong tries kill a code as well, and the answer does not tell which codes are open", async () => {
  await using kernel = await startTestKernel([]);
  const { code } = kernel.kernel.pair();
  for (let n = 0; n < 30; n++) await redeem(kernel, "2222-2222-2222");
  const unknown = comparable(await redeem(kernel, "2222-2222-2222"));
  expect(unknown).toMatchObject({ status: 429 });
  for (let n = 0; n < 5; n++) {
    const known = await redeem(kernel, `${code.slice(0, 4)}-2222-2222`);
    expect(comparable(known)).toEqual(unknown);
  }
  expect(comparable(await redeem(kernel, code))).toEqual(unknown);
});

/** What a guesser and the owner do, one after the other. */
const pairingStep = fc.oneof(
  fc.record({ do: fc.constant("new" as const) }),
  fc.record({ do: fc.constant("wrong" as const), code: fc.nat(5) }),
  fc.record({ do: fc.constant("unknown" as const), times: fc.nat(40) }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.nat(200_000) }),
  fc.record({
    do: fc.constantFrom("type" as const, "follow" as const),
    code: fc.nat(5),
  }),
);

test("a right code is good until it is spent, old, pushed out or guessed at five times, whatever else is tried", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(pairingStep, { maxLength: 60 }),
      async (steps) => {
        const clock = createFakeClock();
        const pairing = createPairing(clock);
        let open: (NewCode & { tries: number; until: number })[] = [];
        const outcome = (input: string) => {
          try {
            pairing.redeem(input, "127.0.0.1");
            return "accepted";
          } catch (error) {
            return (error as { code: string }).code;
          }
        };
        for (const step of steps) {
          if (step.do === "wait") await clock.advance(step.ms);
          open = open.filter(({ until }) => until > clock.monotonic());
          if (step.do === "new") {
            const until = clock.monotonic() + 10 * MINUTE;
            const next = { ...pairing.create(undefined), tries: 0, until };
            open = [...open, next].slice(-5);
          }
          if (step.do === "unknown")
            for (let n = 0; n < step.times; n++)
              // U is in no code.
              expect(outcome("UUUU-UUUU-UUUU")).toMatch(/^PAIRING_/);
          if (!("code" in step)) continue;
          const code = open[step.code];
          if (!code) continue;
          if (step.do === "wrong") {
            expect(outcome(`${code.code.slice(0, 4)}UUUUUUUU`)).toMatch(
              /^PAIRING_/,
            );
            if (++code.tries === 5) open = open.filter((one) => one !== code);
          } else {
            const input = step.do === "type" ? code.code : code.linkSecret;
            expect(outcome(input)).toBe("accepted");
            expect(outcome(input)).not.toBe("accepted");
            open = open.filter((one) => one !== code);
          }
        }
        for (const { code } of open) expect(outcome(code)).toBe("accepted");
      },
    ),
  );
});

test("this machine and all others have a budget each", () => {
  const pairing = createPairing(createFakeClock());
  const guess = (address: string) => {
    try {
      pairing.redeem("2222-2222-2222", address);
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const local = ["127.0.0.1", "::1", "::ffff:127.0.0.1", "127.8.8.8"];
  for (let n = 0; n < 30; n++)
    expect(guess(local[n % 4] ?? "")).toBe("PAIRING_REFUSED");
  for (const address of local) expect(guess(address)).toBe("PAIRING_TOO_MANY");
  for (let n = 0; n < 30; n++)
    expect(guess(`192.168.1.${n}`)).toBe("PAIRING_REFUSED");
  for (const address of ["8.8.8.8", "::2", "::ffff:1.2.3.4", ""])
    expect(guess(address)).toBe("PAIRING_TOO_MANY");
});
