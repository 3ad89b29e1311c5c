import { expect } from "vitest";
import type { RawAnswer } from "../../../kernel/core/test/support/raw-http.ts";
import { refused } from "../runner/row.ts";
import type { Outcome, Row, Trial } from "../runner/row.ts";
import type { World } from "../world/world.ts";
import { bearer, idOfNobody, paired, stranger } from "./requests.ts";
import type { Header } from "./requests.ts";

const UNAUTHORIZED = "WEBHOOK_UNAUTHORIZED";

const fire = (
  world: World,
  target: string,
  headers: readonly Header[],
  body = "",
  method = "POST",
) => ({
  method,
  target,
  headers: stranger(world, ["content-length", String(body.length)], ...headers),
  body,
});

/** The same bytes for every client without the secret. */
function sameRefusal(): Outcome {
  let first: string | undefined;
  return refused(401, UNAUTHORIZED, ({ body }: RawAnswer) =>
    expect(body).toBe((first ??= body)),
  );
}

export const webhook: readonly Row[] = [
  {
    id: "A60",
    title: "two Authorization headers, whichever is right",
    *trials(world) {
      const { target, secret } = world.victims.takeHook();
      const right = bearer(secret);
      for (const headers of [
        [right, bearer("x")],
        [bearer("x"), right],
        [right, right],
      ])
        yield {
          name: JSON.stringify(headers),
          send: fire(world, target, headers),
          expect: refused(400, "WEBHOOK_HEADER_REPEATED"),
        };
    },
  },
  {
    id: "A61",
    title: "the right secret anywhere but in its header",
    everyChange: true,
    *trials(world): Iterable<Trial> {
      const { target, secret } = world.victims.takeHook();
      const expected = sameRefusal();
      for (const name of ["secret", "token", "access_token", "key"])
        yield {
          name: `?${name}=`,
          send: fire(world, `${target}?${name}=${secret}`, []),
          expect: expected,
        };
      for (const [name, send] of [
        ["path", fire(world, `${target}/${secret}`, [])],
        ["body", fire(world, target, [], JSON.stringify({ secret }))],
        ["cookie", fire(world, target, [["cookie", `secret=${secret}`]])],
        ["other header", fire(world, target, [["x-webhook-secret", secret]])],
        ["no scheme", fire(world, target, [["authorization", secret]])],
      ] as const)
        yield {
          name,
          send,
          expect: name === "path" ? refused(401) : expected,
        };
      const second = world.victims.takeHook();
      for (const name of ["secret", "token", "access_token", "key"])
        yield {
          name: `right header, and ?${name}=`,
          send: fire(world, `${second.target}?${name}=x`, [
            bearer(second.secret),
          ]),
          expect: refused(400, "WEBHOOK_SECRET_IN_QUERY"),
        };
    },
  },
  {
    id: "A62",
    title:
      "unknown ids, odd ones, and an automation without a webhook: the same bytes",
    *trials(world) {
      const expected = sameRefusal();
      const { id, secret } = world.victims.takeHook();
      const ids = [
        idOfNobody("aut"),
        world.victims.silentId,
        id,
        id.toUpperCase(),
        `${id}x`,
        "..%2fx",
        "%00",
        "__proto__",
        "constructor",
        world.victims.agentId,
        "x".repeat(5_000),
      ];
      for (const one of ids)
        for (const credential of ["x", "x".repeat(43), `${secret}x`])
          yield {
            name: `${one.slice(0, 40)} with ${credential.length} characters`,
            send: fire(world, `/api/automations/${one}/fire`, [
              bearer(credential),
            ]),
            expect: expected,
          };
      yield {
        name: "a session and the install token are no secret",
        send: {
          method: "POST",
          target: `/api/automations/${id}/fire`,
          headers: paired(world, bearer(world.token)),
        },
        expect: expected,
      };
    },
  },
  {
    id: "A72",
    title: "the same call twice is one run, if it says that it is the same",
    provedBy: [
      [
        "plugins/automations/test/webhook.test.ts",
        "with the same ${header} is one run",
      ],
    ],
  },
  {
    id: "A73",
    title: "a secret that was renewed is dead, and none is ever shown again",
    changes: true,
    async run(world) {
      const { api, victims } = world;
      const hook = victims.takeHook();
      const path = `/api/automations/${hook.id}`;
      const { status, body } = await api.call<{ webhookSecret: string }>(
        "POST",
        `${path}/secret`,
        {},
      );
      expect(status).toBe(200);
      world.secrets.set("renewed webhook secret", body.webhookSecret);
      const old = await world.ask(
        fire(world, hook.target, [bearer(hook.secret)]),
      );
      expect(old.status).toBe(401);
      for (const target of [
        path,
        "/api/automations?limit=500",
        `${path}/runs`,
        "/api/events/log?limit=500",
      ]) {
        const shown = JSON.stringify((await api.call("GET", target)).body);
        expect(shown).not.toContain(hook.secret);
        expect(shown).not.toContain(body.webhookSecret);
        expect(shown).not.toMatch(/secretHash|tokenHash/);
      }
    },
  },
  {
    id: "A74",
    title: "other methods: nothing without the secret, 405 with it",
    *trials(world) {
      const { target, secret } = world.victims.takeHook();
      for (const method of [
        "GET",
        "PUT",
        "HEAD",
        "OPTIONS",
        "DELETE",
        "PATCH",
      ]) {
        yield {
          name: `${method} without`,
          send: fire(world, target, [], "", method),
          expect: refused(401, UNAUTHORIZED),
        };
        yield {
          name: `${method} with`,
          send: fire(world, target, [bearer(secret)], "", method),
          expect: refused(405, "METHOD_NOT_ALLOWED"),
        };
      }
    },
  },
];
