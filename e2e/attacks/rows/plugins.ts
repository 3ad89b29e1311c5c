import { join } from "node:path";
import { expect } from "vitest";
import { runGantry } from "../../support/daemon.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import {
  packageEntries,
  writeTarball,
} from "../../../kernel/test/support/tarball.ts";
import { refused } from "../runner/row.ts";
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

const FOLDERS = ["/plugins/agents/ui", "/_nuxt", "/shared", "/docs", "/fonts"];

export const plugins: readonly Row[] = [
  {
    id: "A95",
    title: "files outside the folders that are served",
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
        "kernel/test/plugins/install.test.ts",
        "an archive of too many files is refused",
      ],
      [
        "kernel/test/plugins/install.test.ts",
        "what was there stays when what should take its place is refused",
      ],
    ],
  },
  {
    id: "A138",
    title: "links that allow to look on only",
    waitsFor: "links to share",
    isDue: (routes) => routes.some(({ path }) => /\/share/.test(path)),
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
