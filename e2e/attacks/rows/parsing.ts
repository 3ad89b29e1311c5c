import { expect } from "vitest";
import {
  openRaw,
  renderRequest,
} from "../../../kernel/core/test/support/raw-http.ts";
import { accepted, refused } from "../runner/row.ts";
import type { Row } from "../runner/row.ts";
import { measureRead } from "../world/measure.ts";
import { residentBytes } from "../world/processes.ts";
import { MAX_DELAY_S } from "../world/slow-clients.ts";
import type { World } from "../world/world.ts";
import { jsonBody, nameOf, paired, postJson, stranger } from "./requests.ts";

const MIB = 1024 * 1024;
/** More than any operation takes. */
const FAR_TOO_MUCH = 1024 * MIB;

/** Something that a request smuggled in behind another would change. */
const victim = ({ victims }: World) => `/api/agents/${victims.agentId}/close`;

/** Requests whose end two readers would see in different places, or that are no HTTP. */
function smuggled(world: World): Record<string, string> {
  const start = `POST ${victim(world)} HTTP/1.1\r\nHost: ${world.host}\r\nCookie: ${world.cookie}\r\nContent-Type: application/json\r\n`;
  const chunked = "Transfer-Encoding: chunked\r\n";
  const inner = `POST ${victim(world)} HTTP/1.1\r\nHost: ${world.host}\r\nCookie: ${world.cookie}\r\nContent-Length: 0\r\n\r\n`;
  return {
    "a length and chunks": `${start}Content-Length: 2\r\n${chunked}\r\n0\r\n\r\n${inner}`,
    "chunks and a length": `${start}${chunked}Content-Length: 2\r\n\r\n0\r\n\r\n${inner}`,
    "two lengths": `${start}Content-Length: 2\r\nContent-Length: 200\r\n\r\n{}${inner}`,
    "two equal lengths": `${start}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}${inner}`,
    "a list of lengths": `${start}Content-Length: 2, 2\r\n\r\n{}${inner}`,
    "a signed length": `${start}Content-Length: +2\r\n\r\n{}${inner}`,
    "a negative length": `${start}Content-Length: -2\r\n\r\n{}${inner}`,
    "a hexadecimal length": `${start}Content-Length: 0x2\r\n\r\n{}${inner}`,
    "a length with a blank": `${start}Content-Length: 2 2\r\n\r\n{}${inner}`,
    "chunks and identity": `${start}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${inner}`,
    "an unknown encoding": `${start}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${inner}`,
    "an encoding in two lines": `${start}Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n${inner}`,
    "bare line feeds": `${start.replaceAll("\r\n", "\n")}Content-Length: 0\n\n${inner}`,
    "a bare carriage return": `${start}X-A: b\rContent-Length: 50\r\n\r\n${inner}`,
    "a blank before the colon": `${start}Content-Length : 0\r\n\r\n${inner}`,
    "a folded header": `${start}X-A: b\r\n c\r\nContent-Length: 0\r\n\r\n${inner}`,
    "a header without a colon": `${start}X-A\r\nContent-Length: 0\r\n\r\n${inner}`,
    "a header without a name": `${start}: x\r\nContent-Length: 0\r\n\r\n${inner}`,
    "a NUL in a header": `${start}X-A: a\0b\r\nContent-Length: 0\r\n\r\n${inner}`,
    "a long chunk extension": `${start}${chunked}\r\n2;${"x".repeat(MIB)}\r\n{}\r\n0\r\n\r\n${inner}`,
    "a negative chunk": `${start}${chunked}\r\n-2\r\n{}\r\n0\r\n\r\n${inner}`,
    "a chunk in 0x": `${start}${chunked}\r\n0x2\r\n{}\r\n0\r\n\r\n${inner}`,
    "a chunk of no number": `${start}${chunked}\r\nzz\r\n{}\r\n0\r\n\r\n${inner}`,
    "a chunk beyond counting": `${start}${chunked}\r\n${"f".repeat(17)}\r\n{}\r\n0\r\n\r\n${inner}`,
    "a chunk that is longer than said": `${start}${chunked}\r\n2\r\n{}xx\r\n0\r\n\r\n${inner}`,
    "a forbidden trailer": `${start}${chunked}\r\n2\r\n{}\r\n0\r\nHost : evil\r\n\r\n${inner}`,
    "a method of its own": `${start.replace("POST", "EVIL")}\r\n${inner}`,
    "a method in small letters": `${start.replace("POST", "post")}\r\n${inner}`,
    "another version": `${start.replace("HTTP/1.1", "HTTP/2.0")}\r\n${inner}`,
    "a target with a blank": `${start.replace("/close", "/clo se")}\r\n${inner}`,
    "a TLS greeting": "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc",
    "HTTP/2 at once": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "another protocol": "SSH-2.0-OpenSSH_9.9\r\n",
  };
}

export const parsing: readonly Row[] = [
  {
    id: "A76",
    title:
      "a body that is too large, announced and counted, at every route that takes one",
    *trials(world) {
      for (const route of world.routes) {
        if (route.takes === "nothing" || route.access === "self") continue;
        yield {
          name: `${nameOf(route)}, announced`,
          send: {
            method: route.method,
            target: world.addressOf(route),
            headers: paired(
              world,
              ["content-type", "application/json"],
              ["content-length", String(FAR_TOO_MUCH)],
            ),
          },
          expect: refused(413, "BODY_TOO_LARGE"),
        };
      }
      const text = JSON.stringify({ name: "x".repeat(MIB) });
      yield {
        name: "counted",
        send: {
          method: "POST",
          target: "/api/agents",
          headers: paired(
            world,
            ["content-type", "application/json"],
            ["transfer-encoding", "chunked"],
          ),
          body: `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
        },
        expect: refused(413, "BODY_TOO_LARGE"),
      };
    },
  },
  {
    id: "A76b",
    title:
      "what comes behind a body is no part of it, and does not take its answer",
    async run(world) {
      const connection = await openRaw(world.port);
      const body = '{"mode":"none"}';
      const request = postJson(world, "/api/auth/mode", body, "PUT");
      connection.write(
        renderRequest({ ...request, body: `${body}0123456789\r\n\r\n` }),
      );
      const answer = await connection.answer();
      expect(answer.status).toBe(400);
      expect(answer.body).toContain("INPUT_INVALID");
      expect(answer.header("connection")).toBe("close");
      await connection.closed;
      expect(connection.rest()).toBe("");
    },
  },
  {
    id: "A77",
    title:
      "ten gigabytes from each of twenty who are not paired, of which nothing is read",
    async run(world) {
      const before = residentBytes(world.daemon.pid);
      const targets = world.routes
        .filter(
          ({ access, method }) => access === "session" && method !== "GET",
        )
        .slice(0, 18)
        .map((route) => ({
          method: route.method,
          target: world.addressOf(route),
        }));
      const uploads = await Promise.all(
        [
          ...targets,
          { method: "GET", target: "/api/agents" },
          { method: "POST", target: "/api/nothing" },
        ].map((target) =>
          measureRead(world, {
            ...target,
            headers: stranger(world, ["content-length", "10000000000"]),
          }),
        ),
      );
      for (const { answer, read } of uploads) {
        expect(answer.status).toBe(401);
        expect(answer.header("connection")).toBe("close");
        expect(read).toBeLessThan(65_536 + 1024);
      }
      expect(residentBytes(world.daemon.pid) - before).toBeLessThan(16 * MIB);
    },
  },
  {
    id: "A78",
    title:
      "clients that send a byte now and then, or nothing more, are cut off in time",
    async run(_, { slow }) {
      for (const slowness of ["header", "nothing", "body of pairing"] as const)
        for (const { status, seconds } of await slow.endsOf(slowness)) {
          expect(status, slowness).toBe(408);
          expect(seconds, slowness).toBeLessThan(10 + MAX_DELAY_S);
        }
      for (const { seconds } of await slow.endsOf("keep-alive"))
        expect(seconds).toBeLessThan(5 + MAX_DELAY_S);
    },
  },
  {
    id: "A80",
    title:
      "an address or a head that is too large, and parameters sent twice or unknown",
    *trials(world) {
      const get = (target: string) => ({ target, headers: paired(world) });
      const long = "x".repeat(8 * 1024);
      yield {
        name: "a long path",
        send: get(`/api/${long}`),
        expect: refused(414, "HTTP_URI_TOO_LONG"),
      };
      yield {
        name: "a long query",
        send: get(`/api/agents?q=${long}`),
        expect: refused(414, "HTTP_URI_TOO_LONG"),
      };
      yield {
        name: "a longer one than the parser takes",
        send: get(`/api/agents?q=${long.repeat(3)}`),
        expect: refused([414, 431]),
      };
      yield {
        name: "101 headers",
        send: {
          target: "/api/agents",
          headers: [
            ...paired(world),
            ...Array.from({ length: 101 }, (_, n) => [`x-${n}`, ""] as const),
          ],
        },
        expect: refused(431, "HTTP_HEADERS_TOO_LARGE"),
      };
      yield {
        name: "16 KiB of headers",
        send: {
          target: "/api/agents",
          headers: paired(world, ["x-a", "x".repeat(17 * 1024)]),
        },
        expect: refused(431, "HTTP_HEADERS_TOO_LARGE"),
      };
      for (const route of world.routes) {
        if (route.method !== "GET") continue;
        const target = world.addressOf(route);
        const many = Array.from({ length: 1001 }, (_, n) => `a${n}=1`).join(
          "&",
        );
        for (const query of ["unknown=1", "__proto__=1", "constructor=1", many])
          yield {
            name: `${route.path}?${query.slice(0, 20)}`,
            send: get(`${target}?${query}`),
            expect: refused(400, "INPUT_INVALID"),
          };
        for (const name of route.query)
          yield {
            name: `${route.path}, ${name} three times`,
            send: get(`${target}?${name}=1&${name}=1&${name}=1`),
            expect: refused(400, "INPUT_INVALID"),
          };
      }
    },
  },
  {
    id: "A86",
    title:
      "what has two ends, or is no HTTP: one answer, and the connection is closed",
    everyChange: true,
    async run(world) {
      for (const [name, bytes] of Object.entries(smuggled(world))) {
        const connection = await openRaw(world.port);
        connection.write(Buffer.from(bytes, "latin1"));
        await connection.closed;
        const text = connection.rest();
        expect(text.match(/HTTP\/1\.1 /g), `${name}: ${text}`).toHaveLength(1);
        expect(text, name).toMatch(/^HTTP\/1\.1 (4\d\d|501|505) /);
      }
    },
  },
  {
    id: "A86b",
    title: "chunks in any letters are chunks",
    *trials(world) {
      const body = '{"schedules":[]}';
      yield {
        name: "ChUnKeD",
        send: {
          method: "POST",
          target: "/api/automations/preview",
          headers: paired(
            world,
            ["content-type", "application/json"],
            ["transfer-encoding", "ChUnKeD"],
          ),
          body: `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
        },
        expect: accepted(),
      };
      yield {
        name: "a length of many zeros",
        send: {
          method: "POST",
          target: "/api/automations/preview",
          headers: paired(
            world,
            ["content-type", "application/json"],
            ["content-length", String(body.length).padStart(10, "0")],
          ),
          body,
        },
        expect: accepted(),
      };
      yield {
        name: "a body on a read",
        send: {
          target: "/api/agents",
          headers: paired(world, ...jsonBody("{}")),
          body: "{}",
        },
        expect: refused(400, "BODY_NOT_EXPECTED"),
      };
    },
  },
];
