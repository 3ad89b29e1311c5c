import { expect } from "vitest";
import { refused } from "../runner/row.ts";
import type { Row } from "../runner/row.ts";
import { createCode, redeem } from "../world/pair.ts";
import type { World } from "../world/world.ts";
import { postJson, stranger } from "./requests.ts";
import type { Header } from "./requests.ts";

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
    id: "A40",
    title: "cookies that leave a doubt",
    everyChange: true,
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
        "kernel/core/test/auth/sessions.test.ts",
        "a session ends after 30 days without use, and after a year however much it is used",
      ],
      [
        "kernel/core/test/auth/sessions.test.ts",
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
