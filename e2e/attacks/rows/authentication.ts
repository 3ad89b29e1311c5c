import { createHash } from "node:crypto";
import { expect } from "vitest";
import { send } from "../../support/api-client.ts";
import type { RawAnswer } from "../../../kernel/test/support/raw-http.ts";
import { refused } from "../runner/row.ts";
import type { Row, Trial } from "../runner/row.ts";
import { createCode, pairCookie, redeem } from "../world/pair.ts";
import { handshake } from "../world/raw-socket.ts";
import type { World } from "../world/world.ts";
import {
  idOfNobody,
  nameOf,
  postJson,
  refusedByHook,
  stranger,
} from "./requests.ts";
import type { Header } from "./requests.ts";

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

/** Cookies that hold the right value in a way that leaves a doubt, or a wrong one. */
function doubtfulCookies({ cookie }: World): string[] {
  const value = cookie.split("=")[1] ?? "";
  return [
    `${cookie}; gantry_session=${"x".repeat(43)}`,
    `gantry_session=${"x".repeat(43)}; ${cookie}`,
    `${cookie}; ${cookie}`,
    `gantry_session="${value}"`,
    `gantry_session=${value}x`,
    `gantry_session=${value.slice(0, -1)}`,
    `gantry_session=%${value.charCodeAt(0).toString(16)}${value.slice(1)}`,
    `gantry_session=${value.slice(1)}`,
    `GANTRY_SESSION=${value}`,
    `gantry_session =${value} x`,
    `__Host-gantry_session=${value}`,
    `x=${cookie}`,
    `gantry_session=${value},gantry_session=${value}`,
    `gantry_session=${"x".repeat(8 * 1024)}`,
    "gantry_session=\u00e9\u00e9",
    "gantry_session=",
    "gantry_session",
    "=; ;;",
  ];
}

const readSession = (world: World, ...headers: Header[]) => ({
  target: "/api/auth/session",
  headers: stranger(world, ...headers),
});

export const authentication: readonly Row[] = [
  {
    id: "A37",
    title:
      "every route and what is no route, without a session: the same bytes",
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
                : path.endsWith("/fire")
                  ? refusedByHook()
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
  {
    id: "A40",
    title: "cookies that leave a doubt",
    *trials(world) {
      for (const cookie of doubtfulCookies(world))
        yield {
          name: cookie.slice(0, 80),
          send: readSession(world, ["cookie", cookie]),
          expect: refused(401, "AUTH_NOT_PAIRED"),
        };
      yield {
        name: "in two headers",
        send: readSession(
          world,
          ["cookie", world.cookie],
          ["cookie", world.cookie],
        ),
        expect: refused(401, "AUTH_NOT_PAIRED"),
      };
    },
  },
  {
    id: "A41",
    title: "the cookie is exactly as it must be",
    changes: true,
    async run({ api, daemon, secrets }) {
      const { link } = await createCode(api, secrets);
      const { status, cookie = "" } = await redeem(daemon, {
        code: link,
        device: "Exact",
      });
      expect(status).toBe(200);
      expect(cookie).toMatch(
        /^gantry_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=31536000$/,
      );
    },
  },
  {
    id: "A44",
    title: "a session that is revoked, by another and by itself",
    changes: true,
    async run(world) {
      const { api, daemon, secrets, cookie } = world;
      const other = await pairCookie({ daemon, api }, "Revoked", secrets);
      const idOf = async (whose: string) => {
        const { body } = await send<{ session: { id: string } }>(
          daemon.base,
          "GET",
          "/api/auth/session",
          undefined,
          { cookie: whose },
        );
        return body.session.id;
      };
      const revoke = (whose: string, id: string) =>
        send(daemon.base, "DELETE", `/api/auth/sessions/${id}`, undefined, {
          cookie: whose,
        });
      const id = await idOf(other);
      const value = other.split("=")[1] ?? "";
      const hash = createHash("sha256").update(value).digest("base64url");
      for (const odd of [idOfNobody("ses"), hash, value, "..%2f..", "ses_"])
        expect(await revoke(cookie, odd), odd).toMatchObject({
          status: 404,
          body: { code: "SESSION_NOT_FOUND" },
        });
      expect((await revoke(cookie, id)).status).toBe(200);
      expect((await revoke(other, id)).status).toBe(401);
      expect((await revoke(cookie, id)).status).toBe(404);

      const third = await pairCookie({ daemon, api }, "Own end", secrets);
      const answer = await world.ask({
        method: "DELETE",
        target: `/api/auth/sessions/${await idOf(third)}`,
        headers: stranger(world, ["cookie", third]),
      });
      expect(answer.status).toBe(200);
      expect(answer.header("set-cookie")).toBe(
        "gantry_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0",
      );
      const listed = await send(
        daemon.base,
        "GET",
        "/api/auth/sessions",
        undefined,
        { cookie },
      );
      expect(JSON.stringify(listed.body)).not.toMatch(
        /hash|token|Revoked|Own end/,
      );
    },
  },
  {
    id: "A46",
    title: "modes that are none",
    *trials(world) {
      for (const mode of [
        "none",
        "off",
        "ALL",
        "",
        0,
        1,
        null,
        true,
        [],
        {},
        ["all"],
      ])
        yield {
          name: JSON.stringify(mode),
          send: postJson(world, "/api/auth/mode", { mode }, "PUT"),
          expect: refused(400, "INPUT_INVALID"),
        };
      for (const body of [
        {},
        { mode: "all", host: "0.0.0.0" },
        { Mode: "all" },
      ])
        yield {
          name: JSON.stringify(body),
          send: postJson(world, "/api/auth/mode", body, "PUT"),
          expect: refused(400, "INPUT_INVALID"),
        };
    },
  },
  {
    id: "A48",
    title: "sessions that are too old, also after the clock is set back",
    provedBy: [
      [
        "kernel/test/auth/sessions.test.ts",
        "a session ends after 30 days without use, and after a year however much it is used",
      ],
      [
        "kernel/test/auth/sessions.test.ts",
        "neither a restart nor a clock that is set back revives what has expired",
      ],
    ],
  },
  {
    id: "A58",
    title: "secrets of any length and alphabet, in cookie and header",
    *trials(world) {
      const value = world.cookie.split("=")[1] ?? "";
      const { token } = world;
      const odd = [
        "",
        "x",
        "é".repeat(20),
        "\u0080",
        "a b",
        "x".repeat(12_000),
      ];
      for (const secret of [...odd, value.slice(1), `${value}x`, token])
        yield {
          name: `cookie of ${secret.length}`,
          send: readSession(world, ["cookie", `gantry_session=${secret}`]),
          expect: refused(401, "AUTH_NOT_PAIRED"),
        };
      const wrong = [...odd, token.slice(1), `${token}x`, value, `${token} x`];
      for (const secret of wrong)
        yield {
          name: `Bearer of ${secret.length}`,
          send: readSession(world, ["authorization", `Bearer ${secret}`]),
          expect: refused(401, "AUTH_NOT_PAIRED"),
        };
      for (const value of [
        token,
        `Basic ${token}`,
        `Bearer,${token}`,
        `Bearer ${token}, Bearer x`,
      ])
        yield {
          name: `Authorization: ${value.slice(0, 12)}`,
          send: readSession(world, ["authorization", value]),
          expect: refused(401, "AUTH_NOT_PAIRED"),
        };
      yield {
        name: "two Authorization headers, the right one first",
        send: readSession(
          world,
          ["authorization", `Bearer ${token}`],
          ["authorization", "Bearer x"],
        ),
        expect: refused(401, "AUTH_NOT_PAIRED"),
      };
      for (const name of ["token", "access_token", "gantry_session", "key"])
        yield {
          name: `?${name}=`,
          send: {
            target: `/api/auth/session?${name}=${token}`,
            headers: stranger(world),
          },
          expect: refused(401, "AUTH_NOT_PAIRED"),
        };
    },
  },
];
