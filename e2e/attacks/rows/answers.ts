import { expect } from "vitest";
import {
  openRaw,
  renderRequest,
} from "../../../kernel/core/test/support/raw-http.ts";
import { refused } from "../runner/row.ts";
import type { Row } from "../runner/row.ts";
import type { World } from "../world/world.ts";
import { paired } from "./requests.ts";
import type { Header } from "./requests.ts";

const FAULTS = [
  "error",
  "rejection",
  "text",
  "nothing",
  "status",
  "overflow",
  "getter",
  "undefined",
  "bigint",
  "no-such-handler",
];

/** Ids of the faults that were answered, to be looked up in the log. */
const told = new Set<string>();

/** Opens a stream and gives what it says until a text has come. */
async function readStream(
  world: World,
  target: string,
  until: string | RegExp,
  ...headers: Header[]
): Promise<string> {
  const connection = await openRaw(world.port);
  connection.write(
    renderRequest({ target, headers: paired(world, ...headers) }),
  );
  await expect.poll(() => connection.rest()).toMatch(until);
  connection.socket.destroy();
  return connection.rest();
}

export const answers: readonly Row[] = [
  {
    id: "A88",
    title:
      "a handler that fails in any way: a 500 with an id, and nothing of the inside",
    faults: [/Request failed/, /Stream failed/],
    *trials(world) {
      told.clear();
      const check = ({ body }: { body: string }) => {
        const { requestId, ...constant } = JSON.parse(body) as {
          requestId: string;
        };
        expect(requestId).toMatch(/^req_\w+$/);
        expect(constant).toEqual({
          type: "urn:gantry:problem:KERNEL_FAULT",
          title: "Internal error",
          status: 500,
          detail:
            "Something went wrong in the daemon; its log has the details under the request id.",
          code: "KERNEL_FAULT",
        });
        told.add(requestId);
      };
      for (const fault of FAULTS)
        yield {
          name: fault,
          send: {
            target: `/api/target/fault/${fault}`,
            headers: paired(world),
          },
          expect: refused(500, "KERNEL_FAULT", check),
        };
      yield {
        name: "behind a body",
        send: {
          method: "POST",
          target: "/api/target/fault",
          headers: paired(world),
        },
        expect: refused(500, "KERNEL_FAULT", check),
      };
    },
    async run(world) {
      const text = await readStream(
        world,
        "/api/target/broken-stream",
        /0\r\n\r\n$/,
      );
      expect(text).not.toContain("canary");
      for (const requestId of told)
        await expect
          .poll(() => logOf(world, requestId))
          .toMatchObject({ level: "error" });
    },
  },
  {
    id: "A88b",
    title: "what is not there is not told back",
    *trials(world) {
      for (const target of [
        "/api/canary-echo",
        "/api/agents/canary-echo/none",
        "/canary-echo.html",
        "/plugins/canary-echo/ui/index.mjs",
        "/_nuxt/canary-echo.js",
        "/docs/canary-echo",
      ])
        yield {
          name: target,
          send: { target, headers: paired(world) },
          expect: refused(404, undefined, ({ body }) =>
            expect(body).not.toContain("canary-echo"),
          ),
        };
    },
  },
  {
    id: "A89",
    title: "texts that would be fields of a stream are data of it",
    everyChange: true,
    changes: true,
    async run(world) {
      const { api, victims } = world;
      const forged =
        "x\nevent: admin\ndata: y\n\nid: 1\r\nevent: admin\r\rdata: z";
      const line = "x\u2028event: admin\u2029data: y\u0085";
      const { body } = await api.call<{ latest: number }>(
        "GET",
        "/api/events/log?limit=1",
      );
      const agent = await api.call<{ id: string }>("POST", "/api/agents", {
        name: line,
        cwd: victims.workspace,
      });
      expect(agent.status).toBe(200);
      const path = `/api/agents/${agent.body.id}`;
      const watching = readStream(world, `${path}/stream`, /event: turn-ended/);
      watching.catch(() => {});
      const answer = await api.call("POST", `${path}/ask`, {
        text: `[[reply:${forged}]]`,
      });
      expect(answer.status).toBe(200);
      const texts = [
        await watching,
        await readStream(
          world,
          `/api/events?after=${body.latest}`,
          new RegExp(`"subject":"${agent.body.id}"`),
        ),
      ];
      for (const text of texts) {
        expect(text).toMatch(/^event: /m);
        const lines = text.split(/\r\n|\r|\n/);
        expect(
          lines.filter((one) => /^(event: admin|data: [yz])/.test(one)),
        ).toEqual([]);
      }
      expect((await api.call("DELETE", path, {})).status).toBe(200);
    },
  },
  {
    id: "A90",
    title: "invented places in a stream",
    async run(world) {
      const agent = `/api/agents/${world.victims.agentId}/stream`;
      for (const id of [
        "-1",
        "1e9",
        "x",
        "999999999999999",
        "0x1",
        "1.5",
        "../1",
        "é",
        "NaN",
      ]) {
        for (const [target, until] of [
          ["/api/events", /event: (reset|hello)[\s\S]*\n\n/],
          [agent, /event: (reset|snapshot)/],
        ] as const) {
          const text = await readStream(world, target, until, [
            "last-event-id",
            id,
          ]);
          expect(text, `${target} ${id}`).toMatch(/^HTTP\/1\.1 200 /);
          expect(text, `${target} ${id}`).toContain("event: reset");
        }
      }
    },
    *trials(world) {
      for (const id of ["1".repeat(33), "x".repeat(4_000)])
        yield {
          name: `${id.length} characters`,
          send: {
            target: "/api/events",
            headers: paired(world, ["last-event-id", id]),
          },
          expect: refused(400, "INPUT_INVALID"),
        };
      yield {
        name: "a megabyte",
        send: {
          target: "/api/events",
          headers: paired(world, ["last-event-id", "x".repeat(1024 * 1024)]),
        },
        expect: refused(431, "HTTP_HEADERS_TOO_LARGE"),
      };
      for (const after of [
        "-1",
        "x",
        "1.5",
        "99999999999999999999",
        "1&after=2",
      ])
        yield {
          name: `?after=${after}`,
          send: {
            target: `/api/events?after=${after}`,
            headers: paired(world),
          },
          expect: refused(400, "INPUT_INVALID"),
        };
      for (const types of ["", "*,", "A", "a b", "a".repeat(1025), "%00"])
        yield {
          name: `?types=${types.slice(0, 20)}`,
          send: {
            target: `/api/events?types=${encodeURIComponent(types)}`,
            headers: paired(world),
          },
          expect: refused(400, "INPUT_INVALID"),
        };
    },
  },
];

/** The line of the log about a request. */
function logOf({ daemon }: World, requestId: string): unknown {
  const line = daemon
    .log()
    .split("\n")
    .find((one) => one.includes(`"${requestId}"`));
  return line === undefined ? undefined : JSON.parse(line);
}
