import { expect } from "vitest";
import type { RawAnswer } from "../../../kernel/core/test/support/raw-http.ts";
import { refused } from "../runner/row.ts";
import type { Row, Trial } from "../runner/row.ts";
import { handshake } from "../world/raw-socket.ts";
import { guardsItself, nameOf, refusedByItself, stranger } from "./requests.ts";

/** Addresses that are nothing; the last ones look like those of a framework or of another tool. */
const UNKNOWN = [
  ..."abcdefghij".split("").map((name) => `/api/${name}`),
  "/api/",
  "/api/agents/x/y/z",
  "/api/admin",
  "/api/debug",
  "/api/health",
  "/api/metrics",
  "/api/auth/pair",
  "/api/auth/token",
  "/api/graphql",
  "/api/_nuxt",
  "/api/.env",
  "/api/config.json",
];

/** Ways to write an address, of which none may lead past the gate. */
const SPELLINGS = [
  "/API/agents",
  "/Api/agents",
  "/api/Agents",
  "//api/agents",
  "/api//agents",
  "///api///agents",
  "/api%2fagents",
  "/api%2Fagents",
  "/api/%61gents",
  "/%61pi/agents",
  "/./api/agents",
  "/api/./agents",
  "/x/../api/agents",
  "/x/%2e%2e/api/agents",
  "/pair/../api/agents",
  "/_nuxt/../api/agents",
  "/plugins/agents/ui/../../../api/agents",
  "/api\\agents",
  "\\api\\agents",
  "/api/agents/",
  "/api/agents;x=1",
  "/api;x=1/agents",
  "/api/agents%00",
  "/api/agents%20",
  "/api/agents.json",
  "/api/agents?.css",
  "/api/agents#x",
  "/api/agents%3f",
  "/api/agents%252f",
  "/;/api/agents",
  "/pair?/api/agents",
];

export const unpaired: readonly Row[] = [
  {
    id: "A37",
    title:
      "every route and what is no route, without a session: the same bytes",
    everyChange: true,
    *trials(world): Iterable<Trial> {
      let first: string | undefined;
      const same = ({ body }: RawAnswer) => expect(body).toBe((first ??= body));
      const known = world.routes
        .filter(({ access }) => access === "session")
        .map((route) => ({
          name: nameOf(route),
          method: route.method,
          target: world.addressOf(route),
        }));
      const unknown = UNKNOWN.map((target) => ({
        name: target,
        method: "GET",
        target,
      }));
      const content = [
        "/docs",
        "/docs/start.js",
        "/plugins/agents/ui/index.mjs",
      ].map((target) => ({ name: target, method: "GET", target }));
      for (const { name, method, target } of [...known, ...unknown, ...content])
        for (const cookie of [
          undefined,
          "",
          `gantry_session=${"x".repeat(43)}`,
        ])
          yield {
            name: `${name} with "${cookie}"`,
            send: {
              method,
              target,
              headers: stranger(
                world,
                ...(cookie === undefined ? [] : [["cookie", cookie] as const]),
              ),
            },
            expect: refused(401, "AUTH_NOT_PAIRED", same),
          };
    },
  },
  {
    id: "A37b",
    title: "wrong methods without a session tell nothing of what is there",
    *trials(world) {
      const methods = ["PUT", "PATCH", "DELETE", "POST", "TRACE", "PROPFIND"];
      for (const path of new Set(world.routes.map((route) => route.path)))
        for (const method of methods)
          yield {
            name: `${method} ${path}`,
            send: {
              method,
              target: world.addressOf({ path }),
              headers: stranger(world),
            },
            expect:
              path === "/pair"
                ? refused([405, 415, 400])
                : guardsItself(path, world.routes)
                  ? refusedByItself(path)
                  : refused(401, "AUTH_NOT_PAIRED"),
          };
    },
  },
  {
    id: "A38",
    title: "no spelling of an address leads past the gate, nor to an upgrade",
    *trials(world) {
      for (const target of SPELLINGS)
        for (const more of [[], handshake()])
          yield {
            name: `${target}${more.length > 0 ? " as an upgrade" : ""}`,
            send: { target, headers: stranger(world, ...more) },
            expect: target.startsWith("/pair?")
              ? more.length > 0
                ? refused(401)
                : { accepted: true }
              : refused([400, 401, 404]),
          };
    },
  },
];
