import { expect } from "vitest";
import { runGantry } from "../../support/daemon.ts";
import { refused } from "../runner/row.ts";
import type { Row } from "../runner/row.ts";
import { createCode, pairCookie, redeem } from "../world/pair.ts";
import type { World } from "../world/world.ts";
import { jsonBody, stranger } from "./requests.ts";
import type { Header } from "./requests.ts";

const DEVICE = "Guesser";
/** Wrong tries a minute of each class of peer. */
const BUDGET = 30;

/** A wrong code with the handle of a right one. */
function wrongSecret(code: string): string {
  const last = code.at(-1) === "A" ? "B" : "A";
  return code.slice(0, -1) + last;
}

const guess = (world: World, code: unknown, ...more: Header[]) => {
  const body = JSON.stringify({ code, device: DEVICE });
  return {
    method: "POST",
    target: "/pair",
    headers: stranger(world, ...jsonBody(body), ...more),
    body,
  };
};

export const guessing: readonly Row[] = [
  {
    id: "A49",
    title:
      "guessing codes: five tries kill a code, thirty a minute all, and no header helps",
    ownDaemon: true,
    changes: true,
    async run(world) {
      const { api, daemon, secrets } = world;
      const { code } = await createCode(api, secrets);
      const { code: bystander } = await createCode(api, secrets);
      const bodies = new Set<string>();
      const tries = async (text: string, address: string) => {
        const answer = await redeem(
          daemon,
          { code: text, device: DEVICE },
          { "x-forwarded-for": address, forwarded: `for=${address}` },
        );
        if (answer.status === 401) bodies.add(answer.body);
        return answer.status;
      };
      let spent = 0;
      for (let n = 0; n < 5; n++, spent++)
        expect(await tries(wrongSecret(code), `10.0.0.${n}`)).toBe(401);
      expect(await tries(code, "10.0.1.1"), "the right one, too late").toBe(
        401,
      );
      expect(await tries("ZZZZ-ZZZZ-ZZZZ", "10.0.1.2"), "no such handle").toBe(
        401,
      );
      expect(await tries("x".repeat(22), "10.0.1.3"), "no such link").toBe(401);
      expect(await tries(bystander, "10.0.1.4"), "another code").toBe(200);
      expect(bodies.size, "different answers").toBe(1);
      const { code: last } = await createCode(api, secrets);
      const statuses = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          tries(`0000-0000-${String(n).padStart(4, "0")}`, `10.1.0.${n}`),
        ),
      );
      spent += 3 + statuses.filter((status) => status === 401).length;
      expect(statuses).toContain(429);
      // The budget that is refilled during the test is small.
      expect(spent).toBeLessThanOrEqual(BUDGET + 5);

      const late = await world.ask(guess(world, "ZZZZ-ZZZZ-ZZZZ"));
      expect(late.status).toBe(429);
      const seconds = Number(late.header("retry-after"));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(2);
      // The owner is never locked out: neither the command line nor a right code asks for the budget.
      const { code: exit, output } = await runGantry(
        "pair",
        "--home",
        daemon.home,
      );
      expect(exit, output).toBe(0);
      expect(await tries(last, "127.0.0.1")).toBe(200);
    },
  },
  {
    id: "A50",
    title:
      "fields that might switch the limits off are refused, and cost no try",
    everyChange: true,
    *trials(world) {
      for (const field of [
        "deviceToken",
        "role",
        "scopes",
        "admin",
        "skipLimit",
        "remoteAddress",
      ]) {
        const body = JSON.stringify({
          code: "0000-0000-0000",
          device: DEVICE,
          [field]: true,
        });
        yield {
          name: field,
          send: {
            method: "POST",
            target: "/pair",
            headers: stranger(world, ...jsonBody(body)),
            body,
          },
          expect: refused(400, "INPUT_INVALID"),
        };
      }
      for (const code of [null, 1, [], {}, true, "x".repeat(257)])
        yield {
          name: `code ${JSON.stringify(code).slice(0, 20)}`,
          send: guess(world, code),
          expect: refused(400, "INPUT_INVALID"),
        };
    },
  },
  {
    id: "A52",
    title: "a code that is too old, or from before a restart",
    provedBy: [
      [
        "kernel/core/test/auth/pairing.test.ts",
        "a code is good for ten minutes of real time, whatever the clock on the wall says",
      ],
      [
        "kernel/core/test/auth/pairing.test.ts",
        "codes do not outlive the daemon",
      ],
    ],
  },
  {
    id: "A54",
    title: "looking at the pairing page spends nothing, however and how often",
    changes: true,
    async run(world) {
      const { link } = await createCode(world.api, world.secrets);
      for (const method of ["GET", "HEAD"])
        for (const header of [
          ["purpose", "prefetch"],
          ["sec-purpose", "prefetch;prerender"],
          ["x-moz", "prefetch"],
          ["user-agent", "Slackbot-LinkExpanding 1.0"],
          ["sec-fetch-site", "cross-site"],
        ] as Header[]) {
          // A fragment never comes over the wire, so this is what a preview would ask for.
          const answer = await world.ask({
            method,
            target: "/pair",
            headers: stranger(world, header),
          });
          expect(answer.status).toBe(200);
          expect(answer.header("set-cookie")).toBeUndefined();
        }
      const answer = await redeem(world.daemon, { code: link, device: DEVICE });
      expect(answer.status).toBe(200);
    },
  },
  {
    id: "A56",
    title: "a page of another site that guesses costs the owner nothing",
    changes: true,
    async run(world) {
      const { api, daemon, secrets } = world;
      const { code } = await createCode(api, secrets);
      for (let n = 0; n < 2 * BUDGET; n++)
        for (const headers of [
          [["origin", "http://evil.example"]],
          [["sec-fetch-site", "cross-site"]],
          [
            ["origin", "null"],
            ["sec-fetch-site", "cross-site"],
          ],
        ] as Header[][]) {
          const { status } = await world.ask(
            guess(world, wrongSecret(code), ...headers),
          );
          expect(status).toBe(403);
        }
      expect((await redeem(daemon, { code, device: DEVICE })).status).toBe(200);
    },
  },
  {
    id: "A57",
    title:
      "at most five codes are open, and they die with the session that made them",
    changes: true,
    async run(world) {
      const { api, daemon, secrets } = world;
      const tries = async (code: string) =>
        (await redeem(daemon, { code, device: DEVICE })).status;
      const codes: string[] = [];
      for (let n = 0; n < 6; n++)
        codes.push((await createCode(api, secrets)).code);
      expect(await tries(codes[0]!), "the oldest of six").toBe(401);
      expect(await tries(codes[1]!), "the second").toBe(200);

      const cookie = await pairCookie({ daemon, api }, "Issuer", secrets);
      const post = (target: string) =>
        world.ask({
          method: "POST",
          target,
          headers: stranger(world, ["cookie", cookie], ...jsonBody("{}")),
          body: "{}",
        });
      const made = await post("/api/auth/pairings");
      const { code } = JSON.parse(made.body) as { code: string };
      expect((await post("/api/auth/logout")).status).toBe(200);
      expect(await tries(code), "of a session that is gone").toBe(401);
    },
  },
];
