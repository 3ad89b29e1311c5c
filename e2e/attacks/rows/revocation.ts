import { createHash } from "node:crypto";
import { expect } from "vitest";
import { send } from "../../support/api-client.ts";
import {
  openRaw,
  renderRequest,
} from "../../../kernel/core/test/support/raw-http.ts";
import type { Row } from "../runner/row.ts";
import { LATEST_MS, openEcho, withinSoon } from "../world/echo.ts";
import { pairCookie } from "../world/pair.ts";
import { idOfNobody, jsonBody, stranger } from "./requests.ts";
import type { Header } from "./requests.ts";

export const revocation: readonly Row[] = [
  {
    id: "A44",
    title: "a session that is revoked, by another and by itself",
    everyChange: true,
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
    id: "A45",
    title:
      "after a rotation everything that was open is closed, also after a restart",
    ownDaemon: true,
    changes: true,
    async run(world) {
      const socket = await openEcho(world);
      const streams = await Promise.all(
        [
          ["cookie", world.cookie],
          ["authorization", `Bearer ${world.token}`],
        ].map(async (credential) => {
          const connection = await openRaw(world.port);
          connection.write(
            renderRequest({
              target: "/api/events",
              headers: stranger(world, credential as unknown as Header),
            }),
          );
          await expect.poll(() => connection.rest()).toContain("hello");
          return connection;
        }),
      );
      const rotated = await world.ask({
        method: "POST",
        target: "/api/auth/token/rotate",
        headers: stranger(
          world,
          ["cookie", world.cookie],
          ...jsonBody('{"sessions":true}'),
        ),
        body: '{"sessions":true}',
      });
      expect(rotated.status).toBe(200);
      const { token } = JSON.parse(rotated.body) as { token: string };
      const fresh = (rotated.header("set-cookie") ?? "").split(";")[0] ?? "";
      expect((await withinSoon(socket.ended)).code).toBe(4401);
      for (const stream of streams)
        await expect
          .poll(() => stream.rest(), { timeout: LATEST_MS })
          .toMatch(/0\r\n\r\n$/);
      const statusOf = async (header: Header) =>
        (
          await world.ask({
            target: "/api/auth/session",
            headers: stranger(world, header),
          })
        ).status;
      const expectRotated = async () => {
        expect(await statusOf(["cookie", world.cookie])).toBe(401);
        expect(await statusOf(["authorization", `Bearer ${world.token}`])).toBe(
          401,
        );
        expect(await statusOf(["cookie", fresh])).toBe(200);
        expect(await statusOf(["authorization", `Bearer ${token}`])).toBe(200);
      };
      await expectRotated();
      await world.restart();
      await expectRotated();
      world.cookie = fresh;
    },
  },
];
