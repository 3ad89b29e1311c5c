import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { runGantry } from "../../support/daemon.ts";
import { refused } from "../runner/row.ts";
import type { Row } from "../runner/row.ts";
import { faultsIn } from "../world/health.ts";
import { descendantsOf, exposedText } from "../world/processes.ts";
import { readTree } from "../world/tree.ts";
import { paired, stranger } from "./requests.ts";
import type { Header } from "./requests.ts";

/** Texts that would be a line of their own, or would write over a terminal. */
const FORGED_LINES = [
  "\u001b[2J\u001b]0;owned\u0007",
  '\u2028{"level":"info","message":"forged"}',
  "\u0085forged",
  '%0d%0a{"message":"forged"}',
  "x".repeat(8_000),
].map((text) => Buffer.from(text).toString("latin1"));

/** Of all that was done and refused before. */
const WRITTEN_DOWN = [
  "daemon.started",
  "host.refused",
  "origin.refused",
  "pairing.minted",
  "pairing.used",
  "plugin.loaded",
  "session.made",
];

/** What is left behind after all other rows. */
export const evidence: readonly Row[] = [
  {
    id: "A120e",
    title: "headers and addresses that would forge a line of a log",
    *trials(world) {
      for (const text of FORGED_LINES) {
        const headers: Header[] = [
          ["user-agent", text],
          ["referer", text],
          ["origin", "http://evil.example"],
        ];
        yield {
          name: `headers ${JSON.stringify(text.slice(0, 20))}`,
          send: {
            method: "POST",
            target: "/api/agents",
            headers: stranger(world, ...headers),
          },
          expect: refused([400, 403, 431]),
        };
        yield {
          name: `fault behind ${JSON.stringify(text.slice(0, 20))}`,
          send: {
            target: `/api/agents/${encodeURIComponent(text.slice(0, 500))}`,
            headers: paired(world, ["user-agent", text]),
          },
          expect: refused([400, 404, 414]),
        };
      }
    },
    async run({ daemon }) {
      // Everything that was ever logged is a line of ours, whatever its level.
      expect(faultsIn(daemon.log(), [/./])).toEqual([]);
      for (const line of daemon.log().split("\n")) {
        // eslint-disable-next-line no-control-regex -- those are what must not be there
        expect(line).not.toMatch(/[\u0000-\u001f\u007f\u2028\u2029]/);
        expect(line.length).toBeLessThan(16 * 1024);
      }
    },
  },
  {
    id: "A42",
    title:
      "no secret is in a file, a log, an environment or an argument, after all that was done with them",
    everyChange: true,
    async run({ daemon, folder, secrets, token }) {
      expect(secrets.size).toBeGreaterThan(10);
      const places = new Map<string, string>([["log", daemon.log()]]);
      for (const pid of [daemon.pid, ...descendantsOf(daemon.pid).keys()])
        places.set(`process ${pid}`, exposedText(pid));
      for (const [path, kind] of readTree(folder))
        if (kind.startsWith("file"))
          places.set(path, readFileSync(join(folder, path), "latin1"));
      const found: string[] = [];
      for (const [place, text] of places) {
        for (const [what, secret] of secrets)
          if (text.includes(secret)) found.push(`${what} in ${place}`);
        // The one file that is there to hold it.
        if (text.includes(token) && place !== "home/token")
          found.push(`install token in ${place}`);
      }
      expect(found).toEqual([]);
    },
  },
  {
    id: "A42b",
    title: "what the daemon keeps is for its user alone",
    async run({ daemon }) {
      const open = [...readTree(daemon.home)]
        .filter(
          ([path, kind]) =>
            !path.startsWith("plugins/attack-target") &&
            path !== "config.json" &&
            // A link has no mode of its own.
            !kind.startsWith("link "),
        )
        .map(([path, kind]) => `${path} ${kind.split(" ")[1]}`)
        .filter(
          (line) =>
            !/ (700|600|400)$/.test(line) &&
            !/^data\/agents\/.*\.sh /.test(line),
        );
      expect(open).toEqual([]);
    },
  },
  {
    id: "M27",
    title: "the audit log lists what was refused, and is whole",
    everyChange: true,
    *trials(world) {
      yield {
        name: "a foreign name",
        send: { headers: [["host", "audited.example"]] },
        expect: refused(403, "HOST_REFUSED"),
      };
      yield {
        name: "a foreign page",
        send: {
          method: "POST",
          target: "/api/agents",
          headers: paired(world, ["origin", "http://audited.example"]),
        },
        expect: refused(403, "ORIGIN_REFUSED"),
      };
    },
    async run({ daemon }) {
      const actions = new Set<string>();
      for (const line of auditLines(daemon.home)) {
        expect(line).not.toMatch(/[^\x20-\x7e]/);
        actions.add((JSON.parse(line) as { action: string }).action);
      }
      expect([...actions]).toEqual(expect.arrayContaining(WRITTEN_DOWN));
      const { code, output } = await runGantry(
        "audit",
        "verify",
        "--home",
        daemon.home,
      );
      expect(code, output).toBe(0);
    },
  },
];

function auditLines(home: string): string[] {
  const folder = join(home, "audit");
  return [...readTree(folder).keys()]
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) =>
      readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean),
    );
}
