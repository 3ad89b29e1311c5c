import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { RawAnswer } from "../../../kernel/core/test/support/raw-http.ts";
import { makeTrials } from "../runner/judge.ts";
import { accepted, refused } from "../runner/row.ts";
import type { Row, Trial } from "../runner/row.ts";
import { openPaired } from "../world/paired-browser.ts";
import { createTraps, ODD_NAME, PAGES, SECRET } from "../world/traps.ts";
import type { Traps } from "../world/traps.ts";
import type { World } from "../world/world.ts";
import { paired, postJson } from "./requests.ts";
import type { Header } from "./requests.ts";

const READS = [
  ["text", "path"],
  ["file", "path"],
  ["blob", "path"],
  ["browse", "dir"],
  ["gitdiff", "path"],
] as const;

const address = ({ agentId }: Traps, operation: string) =>
  `/api/agents/${agentId}/${operation}`;

const get = (
  world: World,
  traps: Traps,
  operation: string,
  query: Record<string, string>,
  headers: Header[] = [],
) => ({
  target: `${address(traps, operation)}?${new URLSearchParams(query).toString()}`,
  headers: paired(world, ...headers),
});

/** How many bytes the daemon has read so far, of files and of sockets. */
async function countBytesRead({ daemon }: World): Promise<number> {
  const text = await readFile(`/proc/${daemon.pid}/io`, "utf8");
  return Number(/^rchar: (\d+)$/m.exec(text)?.[1]);
}

const tellsNothing =
  ({ outer }: Traps) =>
  (answer: RawAnswer) => {
    for (const secret of [outer, SECRET, "root:"])
      expect(answer.body).not.toContain(secret);
  };

function write(
  world: World,
  traps: Traps,
  path: string,
  status: number | number[],
  code: string | string[],
): Trial {
  return {
    name: `write ${JSON.stringify(path.slice(0, 60))}`,
    send: postJson(
      world,
      address(traps, "text"),
      { path, text: "canary", mtime: 1 },
      "PUT",
    ),
    expect: refused(status, code, tellsNothing(traps)),
  };
}

/** One path in every operation that takes one. */
function* everywhere(
  world: World,
  traps: Traps,
  path: string,
  status: number | number[],
  code: string | string[],
): Generator<Trial> {
  for (const [operation, name] of READS)
    yield {
      name: `${operation} ${JSON.stringify(path.slice(0, 60))}`,
      send: get(world, traps, operation, { [name]: path }),
      expect: refused(status, code, tellsNothing(traps)),
    };
  yield write(world, traps, path, status, code);
}

const OUTSIDE = [
  "../app-secret/x",
  "traps/../../app-secret/x",
  "..",
  "../",
  "/etc/passwd",
  "//etc/passwd",
  "/proc/self/environ",
  "./../home/token",
];

const THROUGH_LINKS = [
  "traps/passwd",
  "traps/sibling/x",
  "traps/sibling",
  "traps/home/token",
  "traps/dangling",
  "traps/chain20",
];

/** A row that is made in a folder of traps. */
function trapRow(
  id: string,
  title: string,
  trials: (world: World, traps: Traps) => Iterable<Trial>,
  more?: (world: World, traps: Traps) => Promise<void>,
): Row {
  return {
    id,
    title,
    changes: true,
    async run(world) {
      await using traps = await createTraps(world);
      const all = [...trials(world, traps)];
      if (all.length > 0) await makeTrials(world, all);
      await more?.(world, traps);
      const beside = await readFile(
        join(traps.outer, "app-secret", "x"),
        "utf8",
      );
      expect(beside).toBe(SECRET);
    },
  };
}

export const files: readonly Row[] = [
  trapRow("A92b", "paths in a folder that are none", function* (world, traps) {
    const none = ["a\0b", "x".repeat(5_000), `y/${"x".repeat(300)}`];
    for (const path of [...none, "x/".repeat(200)])
      yield* everywhere(world, traps, path, 400, [
        "PATH_INVALID",
        "INPUT_INVALID",
      ]);
    yield {
      name: "a file that is there",
      send: get(world, traps, "text", { path: "README.md" }),
      expect: accepted(),
    };
  }),
  trapRow(
    "A93",
    "paths that lead out by how they are written, a sibling among them",
    function* (world, traps) {
      for (const path of OUTSIDE)
        yield* everywhere(world, traps, path, 403, "PATH_OUTSIDE");
      // Decoded once, these are names like others.
      for (const path of ["%2e%2e/x", "..%2fx", "..\\x", "traps/%00"])
        yield {
          name: path,
          send: get(world, traps, "text", { path }),
          expect: refused(404, "PATH_NOT_FOUND", tellsNothing(traps)),
        };
    },
  ),
  trapRow(
    "A94",
    "links that lead out, to nowhere, or round in a circle",
    function* (world, traps) {
      for (const path of THROUGH_LINKS)
        for (const trial of everywhere(world, traps, path, 403, "PATH_OUTSIDE"))
          // To git a link is a file with an address in it.
          if (!trial.name.startsWith("gitdiff")) yield trial;
      for (const path of ["traps/round", "traps/chain49"])
        yield {
          name: path,
          send: get(world, traps, "text", { path }),
          expect: refused(400, "PATH_INVALID", tellsNothing(traps)),
        };
    },
    async (world, traps) => {
      const { body } = await world.ask(
        get(world, traps, "browse", { dir: "traps" }),
      );
      const { items } = JSON.parse(body) as {
        items: { name: string; kind: string }[];
      };
      expect(items.find(({ name }) => name === "passwd")?.kind).toBe("link");
    },
  ),
  trapRow(
    "A96",
    "writing to what is git's, read-only, no file, or changed meanwhile",
    function* (world, traps) {
      yield write(world, traps, "traps/passwd", 403, "PATH_OUTSIDE");
      for (const path of [
        ".git/config",
        ".git/hooks/pre-commit",
        "traps/git/config",
      ])
        yield write(world, traps, path, 403, "PATH_PROTECTED");
      // Where letters count, another spelling is a folder that is not there.
      for (const path of [".GIT/config", ".git\u200d/config"])
        yield write(
          world,
          traps,
          path,
          [403, 404],
          ["PATH_PROTECTED", "PATH_NOT_FOUND"],
        );
      for (const path of ["traps", "traps/pipe"])
        yield write(world, traps, path, 400, "FILE_NOT_REGULAR");
      yield write(world, traps, "traps/read-only.txt", 403, "FILE_READ_ONLY");
      for (const path of ["README.md", "traps/new.txt"])
        yield write(world, traps, path, 409, "FILE_CHANGED");
    },
  ),
  trapRow(
    "A97",
    "pipes, and a file of 10 GB, are answered at once",
    function* (world, traps) {
      for (const operation of ["text", "file", "blob"])
        yield {
          name: `${operation} of a pipe`,
          send: get(world, traps, operation, { path: "traps/pipe" }),
          expect: refused(400, "FILE_NOT_REGULAR"),
        };
      for (const operation of ["text", "file"])
        yield {
          name: `${operation} of 10 GB`,
          send: get(world, traps, operation, { path: "traps/huge" }),
          expect: refused(413, "FILE_TOO_LARGE"),
        };
    },
    async (world, traps) => {
      const before = await countBytesRead(world);
      const answer = await world.ask(
        get(world, traps, "blob", { path: "traps/huge" }, [
          ["range", "bytes=-3"],
        ]),
      );
      expect([answer.status, answer.body]).toEqual([206, "\0\0\0"]);
      expect((await countBytesRead(world)) - before).toBeLessThan(1_000_000);
    },
  ),
  trapRow(
    "A98",
    "ranges that are many, none, or backwards",
    () => [],
    async (world, traps) => {
      const ask = async (range: string) => {
        const { status, body } = await world.ask(
          get(world, traps, "blob", { path: "traps/ten.txt" }, [
            ["range", range],
          ]),
        );
        return [status, status === 416 ? "" : body];
      };
      const whole = [200, "0123456789"];
      expect(await ask(`bytes=${"0-0,".repeat(1000)}2-2`)).toEqual(whole);
      expect(await ask("items=0-1")).toEqual(whole);
      expect(await ask("bytes=-1")).toEqual([206, "9"]);
      for (const none of ["5-1", "10-", `${"9".repeat(300)}-`])
        expect(await ask(`bytes=${none}`)).toEqual([416, ""]);
    },
  ),
  {
    id: "A100",
    title: "B: files that would be pages are none, whatever they are called",
    everyChange: true,
    inBrowser: true,
    changes: true,
    async run(world, { browser }) {
      await using traps = await createTraps(world);
      const fetched = (name: string) =>
        get(world, traps, "blob", { path: `traps/${name}` });
      for (const name of PAGES) {
        const { header } = await world.ask(fetched(name));
        expect(header("content-security-policy"), name).toBe(
          "sandbox; default-src 'none'",
        );
        expect(header("x-content-type-options")).toBe("nosniff");
        if (!name.endsWith(".gif"))
          expect(header("content-disposition"), name).toMatch(/^attachment; /);
      }
      const { context, page } = await openPaired(browser, world);
      await page.goto(world.origin);
      for (const name of ["x.html", "x.svg", "x.js", "x.gif"]) {
        // A download ends the navigation.
        await page
          .goto(`${world.origin}${fetched(name).target}`)
          .catch(() => undefined);
        const ran = await page.evaluate(
          () => (window as { __xss?: unknown }).__xss,
        );
        expect(ran, name).toBeUndefined();
        expect(await page.title(), name).not.toContain("canary");
      }
      await context.close();
    },
  },
  trapRow(
    "A101",
    "a name with a line break in it stays in its header",
    () => [],
    async (world, traps) => {
      const answer = await world.ask(
        get(world, traps, "blob", { path: `traps/${ODD_NAME}` }),
      );
      expect(answer.status).toBe(200);
      expect(answer.header("set-cookie")).toBeUndefined();
      expect(answer.header("content-disposition")).toBe(
        "attachment; filename=\"a___Set-Cookie: x=1.txt\"; filename*=UTF-8''a___Set-Cookie%3A%20x%3D1.txt",
      );
    },
  ),
  trapRow(
    "A102",
    "addresses and options in place of a path or a name start nothing",
    function* (world, traps) {
      const reveal = (path: string, status: number, code: string): Trial => ({
        name: `reveal ${path}`,
        send: postJson(world, address(traps, "reveal"), { path }),
        expect: refused(status, code, tellsNothing(traps)),
      });
      for (const path of ["/etc", "..", "traps/sibling", "//evil/share"])
        yield reveal(path, 403, "PATH_OUTSIDE");
      for (const path of [
        "https://evil.example/x",
        "-a Terminal",
        "--help",
        "\\\\evil\\share",
      ])
        yield reveal(path, 404, "PATH_NOT_FOUND");
      for (const name of [
        "../x",
        "-a Terminal",
        "/etc/x",
        "file:///x",
        "\\\\evil\\share",
        "..",
        "",
      ])
        yield {
          name: `drop ${name}`,
          send: postJson(world, address(traps, "drop"), { name, data: "eHh4" }),
          expect: refused(400, "INPUT_INVALID"),
        };
    },
  ),
];
