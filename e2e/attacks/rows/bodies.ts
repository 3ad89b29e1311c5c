import { expect } from "vitest";
import { refused } from "../runner/row.ts";
import type { Row, Trial } from "../runner/row.ts";
import { readInsight } from "../world/measure.ts";
import { nameOf, paired, postJson, takingJson } from "./requests.ts";
import { wrongBodies } from "./wrong-bodies.ts";

/** Texts that are not one JSON object. */
const NO_OBJECTS = [
  "[]",
  "null",
  "1",
  '"text"',
  "{",
  "{}{}",
  "{'a':1}",
  '{"a":1,}',
  "{a:1}",
  '{"a":NaN}',
  '{"a":01}',
  "//x\n{}",
  "\ufeff{}",
  "\u0000{}",
  '{"a":"\u0001"}',
  "undefined",
];

/** Names that reach an object's prototype, plain, escaped, and deep down. */
const PROTOTYPE_KEYS = [
  '{"__proto__":{"polluted":1}}',
  '{"\\u005f_proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"prototype":{"polluted":1}}',
  '{"name":{"a":[{"__proto__":{"polluted":1}}]}}',
  '{"a":[[[{"constructor":1}]]]}',
];

/** Names of fields that belong to the daemon. */
const NOT_FOR_CLIENTS = [
  "id",
  "secret",
  "secretHash",
  "tokenHash",
  "createdAt",
  "updatedAt",
  "revision",
  "runs",
  "cost",
  "costUsd",
  "trusted",
  "owner",
  "ownsFolder",
  "sessionId",
  "agentId",
  "lastRun",
  "isAdmin",
  "role",
];

const TOO_COMPLEX: Record<string, string> = {
  "33 levels": `${'{"a":'.repeat(33)}1${"}".repeat(33)}`,
  "33 levels of lists": `{"a":${"[".repeat(32)}${"]".repeat(32)}}`,
  "100,000 levels": `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
  "100,000 levels that are never closed": `{"a":${"[".repeat(100_000)}`,
  "20,000 keys": `{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":1`).join()}}`,
  "a list of 300,000": `{"a":[${"1,".repeat(300_000)}1]}`,
};

/** Number of measurements, of which the shortest counts. */
const ROUNDS = 5;
/** A request with a shorter body takes too little time to be measured alone; {@link BATCH_SIZE} are measured together. */
const MIN_MEASURABLE_CHARACTERS = 50_000;
const BATCH_SIZE = 8;
/** Maximum CPU time of a body that is too complex, as a multiple of that of a plain body of the same length. */
const MAX_RATIO = 2;

export const bodies: readonly Row[] = [
  {
    id: "A81",
    title:
      "a body that is too deep or has too much in it, at every route, and cheaply",
    *trials(world): Iterable<Trial> {
      for (const route of takingJson(world))
        yield {
          name: nameOf(route),
          send: postJson(
            world,
            world.addressOf(route),
            TOO_COMPLEX["33 levels"]!,
            route.method,
          ),
          expect: refused(400, "BODY_TOO_COMPLEX"),
        };
    },
    async run(world) {
      /** How long the daemon computes for a body, in microseconds. */
      async function costOf(text: string, code: string): Promise<number> {
        const times = text.length < MIN_MEASURABLE_CHARACTERS ? BATCH_SIZE : 1;
        const before = await readInsight(world);
        for (let sent = 0; sent < times; sent += 1) {
          const answer = await world.ask(postJson(world, "/api/agents", text));
          expect(answer.status).toBe(400);
          expect(answer.body).toContain(code);
        }
        const { cpuUs } = await readInsight(world);
        return cpuUs - before.cpuUs;
      }
      for (const [name, text] of Object.entries(TOO_COMPLEX)) {
        // As many bytes, read and parsed to the end.
        const plain = `{"a":"${"x".repeat(text.length - 8)}"}`;
        let cost = Infinity;
        let plainCost = Infinity;
        for (let round = 0; round < ROUNDS; round += 1) {
          cost = Math.min(cost, await costOf(text, "BODY_TOO_COMPLEX"));
          plainCost = Math.min(plainCost, await costOf(plain, "INPUT_INVALID"));
        }
        expect(cost / plainCost, `${name}, against a plain one`).toBeLessThan(
          MAX_RATIO,
        );
      }
    },
  },
  {
    id: "A82",
    title: "names that reach a prototype, at every route, in any spelling",
    *trials(world) {
      for (const route of takingJson(world)) {
        const trial = (text: string, code?: string): Trial => ({
          name: `${nameOf(route)} ${text}`,
          send: postJson(world, world.addressOf(route), text, route.method),
          expect: refused(400, code),
        });
        for (const text of PROTOTYPE_KEYS)
          yield trial(text, "BODY_FORBIDDEN_KEY");
        // Where a field's keys are data, such a name is one of them; what stands under it is judged all the same.
        for (const [field, schema] of Object.entries(
          route.body?.properties ?? {},
        ))
          for (const key of ["__proto__", "constructor", "prototype"]) {
            const inside = `{"${key}":{"polluted":1}}`;
            const isData = schema["x-gantry-any-key"] === true;
            yield trial(
              `{"${field}":${inside}}`,
              isData ? "INPUT_INVALID" : "BODY_FORBIDDEN_KEY",
            );
            for (const text of [`{"a":${inside}}`, `[${inside}]`])
              yield trial(`{"${field}":${text}}`, "BODY_FORBIDDEN_KEY");
          }
      }
    },
    async run(world) {
      await world.ask({
        target: "/api/agents",
        headers: paired(world, ["__proto__", "polluted"], ["constructor", "x"]),
      });
      expect((await readInsight(world)).polluted).toBeNull();
    },
  },
  {
    id: "A83",
    title: "what is not one JSON object, at every route that takes one",
    *trials(world) {
      for (const route of takingJson(world))
        for (const text of NO_OBJECTS)
          yield {
            name: `${nameOf(route)} ${JSON.stringify(text)}`,
            send: postJson(world, world.addressOf(route), text, route.method),
            expect: refused(400, "BODY_NOT_JSON"),
          };
      const route = takingJson(world)[0]!;
      yield {
        name: "bytes that are no UTF-8",
        send: Buffer.concat([
          Buffer.from(
            `${route.method} ${world.addressOf(route)} HTTP/1.1\r\nHost: ${world.host}\r\nCookie: ${world.cookie}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a":"`,
          ),
          Buffer.from([0xff]),
          Buffer.from('"}'),
        ]),
        expect: refused(400, "BODY_NOT_JSON"),
      };
    },
  },
  {
    id: "A84",
    title:
      "each field of each body with what it does not take: refused by its name",
    everyChange: true,
    *trials(world) {
      for (const route of takingJson(world))
        for (const { path, value, body } of wrongBodies(route.body))
          yield {
            name: `${nameOf(route)} ${path} = ${JSON.stringify(value)?.slice(0, 40)}`,
            send: postJson(world, world.addressOf(route), body, route.method),
            expect: refused(400, "INPUT_INVALID", (answer) => {
              const { errors } = JSON.parse(answer.body) as {
                errors: { path: string }[];
              };
              const named = errors.some(
                (issue) =>
                  issue.path.startsWith(path) || path.startsWith(issue.path),
              );
              expect(named, `${path} in ${answer.body}`).toBe(true);
              expect(answer.body.length).toBeLessThan(8 * 1024);
            }),
          };
    },
  },
  {
    id: "A85",
    title:
      "fields that are not for clients, at every route: refused by their name",
    *trials(world) {
      for (const route of takingJson(world)) {
        const own = route.body?.properties ?? {};
        for (const field of NOT_FOR_CLIENTS) {
          if (field in own) continue;
          yield {
            name: `${nameOf(route)} ${field}`,
            send: postJson(
              world,
              world.addressOf(route),
              { [field]: "x" },
              route.method,
            ),
            expect: refused(400, "INPUT_INVALID", ({ body }) =>
              expect(body).toContain(`"path":"${field}"`),
            ),
          };
        }
      }
    },
  },
];
