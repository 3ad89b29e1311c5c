import { expect } from "vitest";
import type { RawAnswer } from "@gantry/test-support/raw-http";
import { operations } from "../../fixtures/operations.ts";
import type { Row } from "../runner/row.ts";
import { BROWSER_LISTS, browserBodies } from "../world/browser-victims.ts";
import type { World } from "../world/world.ts";
import { postJson } from "./requests.ts";

const MAX_URL_LENGTH = 2_048;

/** What a page could have put into a record, for each of its fields. */
const HOSTILE_VALUES: readonly unknown[] = [
  "javascript:alert(1)",
  " jAvAsCrIpT:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "file:///etc/passwd",
  "view-source:https://example.com/",
  "chrome://settings",
  "blob:https://example.com/1",
  "//evil.example",
  "https://",
  "https://user:secret@example.com/",
  "https://example.com/\u0000",
  "https://example.com/\u202egnp.exe",
  "https://exam\u200bple.com/",
  `https://example.com/${"a".repeat(MAX_URL_LENGTH)}`,
  "<img src=x onerror=window.__xss=1>",
  "\u0000",
  "a\u0000b",
  "\u202egnp.exe",
  "\ud800",
  "\u001b[2J",
  "../../etc/passwd",
  "a/b\\c:d",
  "__proto__",
  "constructor",
  "x".repeat(2_049),
  "",
  null,
  true,
  -1,
  2 ** 53,
  1e308,
  [],
  {},
  [{}],
  { toString: 1 },
];

/** Keys that reach a prototype are refused before a schema sees them, so they are written as text. */
const PROTOTYPE_VALUES = [
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":1}}',
];

// eslint-disable-next-line no-control-regex -- those are what must not be stored
const HIDDEN = /[\u0000\u001b\u202a-\u202e\u2066-\u2069\ud800]/;

interface Listed {
  items: Record<string, unknown>[];
  nextCursor: string | null;
}

export const workBrowser: readonly Row[] = [
  {
    id: "A139",
    title:
      "records of the browser with hostile texts in every field: refused, or stored as harmless text",
    changes: true,
    async run(world) {
      expectAllPosts();
      for (const [path, good] of Object.entries(browserBodies)) {
        const fields = [...Object.keys(good), "id", "agentId", "screenshot"];
        for (const field of new Set(fields)) {
          for (const value of HOSTILE_VALUES)
            await post(
              world,
              path,
              JSON.stringify({ ...good, [field]: value }),
            );
          const rest = JSON.stringify({ ...good, [field]: undefined });
          for (const value of PROTOTYPE_VALUES) {
            const text = rest.replace(
              /\}$/,
              `${rest === "{}" ? "" : ","}"${field}":${value}}`,
            );
            const answer = await post(world, path, text);
            expect(answer.status, `${path} ${text}`).toBe(400);
          }
        }
      }
      for (const path of BROWSER_LISTS) {
        const { body } = await world.api.call<Listed>(
          "GET",
          `${path}?limit=500`,
        );
        for (const item of body.items) expectHarmless(item);
      }
    },
  },
  {
    id: "A139b",
    title:
      "the key that an agent has for its tools, tried on every other route",
    provedBy: [
      [
        "plugins/browser/test/tools/key-scope.test.ts",
        "the key of an agent opens its tools and no operation of the daemon",
      ],
    ],
  },
  {
    id: "A139c",
    title:
      "the socket of the tools without a key, with a wrong or a revoked one",
    provedBy: [
      [
        "plugins/browser/test/tools/tools-socket.test.ts",
        "only the user of the daemon and the keys of open sessions get in",
      ],
      [
        "plugins/browser/test/tools/tools-socket.test.ts",
        "a connection that sends no key is closed after a timeout",
      ],
    ],
  },
  {
    id: "A139d",
    title: "other programs that use the proxy of a browser",
    provedBy: [
      [
        "plugins/browser/test/fence/egress.test.ts",
        "is needed for requests and tunnels",
      ],
      [
        "plugins/browser/test/fence/egress.test.ts",
        "is not forwarded, nor is anything else of the connection",
      ],
    ],
  },
  {
    id: "A139e",
    title:
      "the daemon itself through the browser, by every spelling and by names that change",
    provedBy: [
      [
        "plugins/browser/test/fence/judge-site.test.ts",
        "Gantry's port is never opened on loopback, whatever the rules",
      ],
      [
        "plugins/browser/test/fence/egress.test.ts",
        "to Gantry is refused under all rules and in all spellings",
      ],
      [
        "plugins/browser/test/fence/egress.test.ts",
        "to a name that resolves differently after it was judged reaches the judged address, then none",
      ],
      [
        "plugins/browser/test/fence/escapes.test.ts",
        "every attempt is stopped by the intended layer",
      ],
      [
        "kernel/core/test/plugins/connect.test.ts",
        "the daemon never connects to itself, at its port or by its names",
      ],
      [
        "kernel/system/test/outbound/address-kinds.test.ts",
        "an IPv4 address is the same in every notation",
      ],
    ],
  },
];

/** The table of bodies has every operation of the records that takes one by POST. */
function expectAllPosts(): void {
  const posts = (operations["browser"] ?? [])
    .filter((operation) => operation.startsWith("POST "))
    .map((operation) => operation.slice("POST ".length));
  expect(Object.keys(browserBodies).sort()).toEqual(posts.sort());
}

async function post(
  world: World,
  path: string,
  text: string,
): Promise<RawAnswer> {
  const answer = await world.ask(postJson(world, path, text));
  const said = `${path} ${text.slice(0, 200)} -> ${answer.body.slice(0, 200)}`;
  expect([200, 400, 404], said).toContain(answer.status);
  if (answer.status === 400)
    expect(answer.body, said).toMatch(/INPUT_INVALID|BODY_\w+/);
  return answer;
}

function expectHarmless(record: Record<string, unknown>): void {
  expect(JSON.stringify(record)).not.toMatch(/polluted/);
  for (const [name, value] of Object.entries(record)) {
    if (typeof value !== "string") continue;
    expect(value, name).not.toMatch(HIDDEN);
    if (name !== "url" && name !== "origin") continue;
    const { protocol, username, password } = new URL(value);
    expect(protocol, value).toMatch(/^https?:$/);
    expect(username + password, value).toBe("");
    expect(value.length).toBeLessThanOrEqual(MAX_URL_LENGTH);
  }
}
