import { join } from "node:path";
import { expect } from "vitest";
import { runGantry } from "../../support/daemon.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import {
  packageEntries,
  writeTarball,
} from "../../../kernel/core/test/support/tarball.ts";
import { accepted, refused } from "../runner/row.ts";
import type { Row } from "../runner/row.ts";
import { paired } from "./requests.ts";

/** Addresses that try to leave the folder that files are served from. */
const ESCAPES = [
  "..%2f..%2fpackage.json",
  "..%2fserver.mjs",
  "%2e%2e/%2e%2e/package.json",
  "../../package.json",
  "..%5c..%5cpackage.json",
  "%252e%252e%252fpackage.json",
  "....//package.json",
  "%00index.mjs",
  "index.mjs%00.css",
  "/etc/passwd",
  "//etc/passwd",
  "file:///etc/passwd",
];

/** What the policy of a page must have at least. */
const STRICT = [
  "default-src 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "object-src 'none'",
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
];

/** Addresses that a careless redirect would follow out of the daemon, or into its own head. */
const MOVING = [
  "/",
  "/agents?next=//evil.example",
  "//evil.example/x",
  "///evil.example",
  "/\\evil.example",
  "/%5cevil.example",
  "/%2f%2fevil.example",
  "/@evil.example",
  "/.evil.example",
  "/agents%0d%0aSet-Cookie:%20x=1",
  "/agents?x=%0d%0aLocation:%20http://evil.example",
];

const FOLDERS = ["/plugins/agents/ui", "/_nuxt", "/shared", "/docs", "/fonts"];

export const plugins: readonly Row[] = [
  {
    id: "A95",
    title: "files outside the folders that are served",
    everyChange: true,
    *trials(world) {
      const targets = [
        ...FOLDERS.flatMap((folder) =>
          ESCAPES.map((path) => `${folder}/${path}`),
        ),
        "/plugins/__proto__/ui/index.mjs",
        "/plugins/constructor/ui/index.mjs",
        "/plugins/../plugins/none/ui/index.mjs",
        "/plugins/..%2fplugins/ui/index.mjs",
        "/plugins/attack-target/ui/server.mjs",
        "/200.html",
        "/200.html.br",
        "/index.html",
        "/..%2ftailwind/candidates.json",
        "/%2e%2e/package.json",
      ];
      for (const target of targets)
        yield {
          name: target,
          send: { target, headers: paired(world) },
          expect: refused([400, 404]),
        };
    },
  },
  {
    id: "A19",
    title: "every page carries its policy, however it is asked for",
    *trials(world) {
      const paths = ["/", "/pair", "/agents", "/settings/devices", "/docs"];
      for (const path of [...paths, "/pair?here", "/nowhere/at/all"])
        for (const method of ["GET", "HEAD"])
          yield {
            name: `${method} ${path}`,
            send: { method, target: path, headers: paired(world) },
            expect: accepted(({ header }) => {
              expect(header("content-type")).toMatch(/^text\/html/);
              const policy = header("content-security-policy") ?? "";
              for (const rule of STRICT) expect(policy).toContain(rule);
              expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe/);
              expect(policy).not.toMatch(/https?:|\*/);
            }),
          };
    },
  },
  {
    id: "A120f",
    title: "a page that moves to our own name moves nowhere else",
    async run(world) {
      for (const name of ["localhost", "127.0.0.1", "[::1]"])
        for (const path of MOVING) {
          const { status, headers, header } = await world.ask({
            target: path,
            headers: [["host", `${name}:${world.port}`]],
          });
          const where = `${name}${path}: ${status} ${header("location")}`;
          expect([200, 302, 400, 404], where).toContain(status);
          expect(header("set-cookie"), where).toBeUndefined();
          const places = headers.filter(([one]) => one === "location");
          expect(places.length, where).toBe(status === 302 ? 1 : 0);
          for (const [, place] of places)
            expect(new URL(place).origin, where).toBe(world.origin);
        }
    },
  },
  {
    id: "A137",
    title:
      "plugins that are no packages, or lead out of their folder, are not installed",
    async run({ daemon }) {
      await using folder = await createTemporaryFolder("tarballs");
      for (const source of [
        "https://evil.example/plugin.tgz",
        ...(await createTarballs(folder.path)),
      ]) {
        const { code, output } = await runGantry(
          "plugins",
          "add",
          source,
          "--home",
          daemon.home,
        );
        expect(code, output).toBe(1);
        expect(output.trim().split("\n"), output).toHaveLength(1);
      }
    },
  },
  {
    id: "A137b",
    title: "what is wrong in an archive, byte by byte",
    provedBy: [
      [
        "kernel/core/test/plugins/install.test.ts",
        "an archive of too many files is refused",
      ],
      [
        "kernel/core/test/plugins/install.test.ts",
        "what was there stays when what should take its place is refused",
      ],
    ],
  },
  {
    id: "A138",
    title: "links that allow to look on only",
    waitsFor: "links into the daemon that work without a session",
    isDue: (routes) =>
      routes.some(
        ({ path, access }) => /\/shared?\//.test(path) && access !== "session",
      ),
  },
];

async function createTarballs(folder: string): Promise<string[]> {
  const at = (name: string) => join(folder, name);
  return [
    await writeTarball(at("escape.tgz"), [
      ...packageEntries(),
      { name: "package/../../canary-plugin", content: "x" },
    ]),
    await writeTarball(at("link.tgz"), [
      ...packageEntries(),
      { name: "package/link", type: "2", link: "/etc" },
      { name: "package/link/canary", content: "x" },
    ]),
    await writeTarball(
      at("outside.tgz"),
      packageEntries({
        gantry: { api: 1, server: "../../../../etc/passwd" },
      }),
    ),
  ];
}
