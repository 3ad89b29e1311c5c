import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { createGitRepository } from "../../support/git-repository.ts";
import { accepted, refused } from "../runner/row.ts";
import type { Row, Trial } from "../runner/row.ts";
import type { World } from "../world/world.ts";
import { paired, postJson } from "./requests.ts";

const git = (folder: string, ...args: string[]) =>
  promisify(execFile)("git", [
    "-C",
    folder,
    "-c",
    "user.name=Test",
    "-c",
    "user.email=test@example.org",
    ...args,
  ]);

const at = (
  agentId: string,
  operation: string,
  query: Record<string, string>,
) =>
  `/api/agents/${agentId}/${operation}?${new URLSearchParams(query).toString()}`;

const get = (
  world: World,
  operation: string,
  query: Record<string, string>,
) => ({
  target: at(world.victims.agentId, operation, query),
  headers: paired(world),
});

function* asRevision(
  world: World,
  hash: string,
  status: number,
  code: string,
): Generator<Trial> {
  for (const operation of ["git/commit", "git/blob"])
    yield {
      name: `${operation} ${JSON.stringify(hash.slice(0, 60))}`,
      send: get(world, operation, {
        hash,
        ...(operation === "git/blob" ? { path: "README.md" } : {}),
      }),
      expect: refused(status, code),
    };
}

export const repositories: readonly Row[] = [
  {
    id: "A104",
    title: "revisions that are options never get to git",
    everyChange: true,
    *trials(world) {
      for (const hash of [
        "--output=/tmp/canary-1",
        "-h",
        "--upload-pack=touch",
        "-evil",
        "--all",
        "--",
      ])
        yield* asRevision(world, hash, 400, "REVISION_INVALID");
      for (const cursor of ["--output=/tmp/canary-1~", "~--all", "HEAD~"])
        yield {
          name: `cursor ${cursor}`,
          send: get(world, "git", { cursor }),
          expect: refused(400, "GIT_CURSOR_INVALID"),
        };
    },
  },
  {
    id: "A104a",
    title:
      "a branch that is called like an option is addressed by its whole name",
    changes: true,
    async run(world) {
      const { workspace } = world.victims;
      await git(workspace, "update-ref", "refs/heads/-evil", "HEAD");
      const answer = await world.ask(
        get(world, "git/commit", { hash: "refs/heads/-evil" }),
      );
      expect(answer.status).toBe(200);
      await git(workspace, "update-ref", "-d", "refs/heads/-evil");
    },
  },
  {
    id: "A105",
    title: "revisions that are more than a name, or none",
    *trials(world) {
      for (const hash of [
        "HEAD:../../etc/passwd",
        "@{u}",
        "x^{/a*}",
        "a..b",
        "HEAD\0",
        "HEAD\n",
        "refs/heads/a b",
        "x".repeat(2_000),
        ":/.*.*.*",
        "HEAD^{tree}",
      ])
        yield* asRevision(world, hash, 400, "REVISION_INVALID");
      yield* asRevision(world, "0".repeat(40), 404, "REVISION_NOT_FOUND");
      yield* asRevision(world, "nowhere", 404, "REVISION_NOT_FOUND");
    },
  },
  {
    id: "A106",
    title: "path filters are paths",
    *trials(world) {
      for (const path of [
        ":(exclude)*",
        ":!x",
        "--",
        "-x",
        "*",
        ":/",
        "[R]EADME.md",
      ]) {
        yield {
          name: `diff of ${path}`,
          send: get(world, "gitdiff", { path }),
          expect: accepted((answer) =>
            expect(JSON.parse(answer.body)).toMatchObject({ patch: "" }),
          ),
        };
        yield {
          name: `file ${path}`,
          send: get(world, "git/blob", { hash: "HEAD", path }),
          expect: refused(404, "PATH_NOT_FOUND"),
        };
      }
    },
  },
  {
    id: "A109",
    title:
      "addresses and options in a composed command are refused, and no address is given away",
    *trials(world) {
      const compose = (body: object): Trial => ({
        name: JSON.stringify(body).slice(0, 80),
        send: postJson(
          world,
          `/api/agents/${world.victims.agentId}/git/compose`,
          body,
        ),
        expect: refused(400, [
          "REVISION_INVALID",
          "INPUT_INVALID",
          "COMPOSE_INCOMPLETE",
        ]),
      });
      for (const target of [
        "ext::sh -c touch",
        "EXT::sh",
        "-u",
        "--receive-pack=touch",
        "file:///tmp/x",
        "ssh://-oProxyCommand=x/",
        "http://user:pw@evil.example/",
        "git://evil.example/x",
        "$(touch canary)",
        "a;b c",
        "`x `",
      ])
        for (const action of ["push", "pull", "merge", "rebase", "switch"])
          yield compose({ action, target });
      for (const name of ["-d", "../x", "a b", "x\n"])
        yield compose({ action: "worktree", name });
      yield compose({ action: "commit", message: "\u001b[2J" });
      yield compose({ action: "clone", target: "https://evil.example/x" });
    },
  },
  {
    id: "A110",
    title: "too much of anything in a repository is cut, or ended in time",
    changes: true,
    async run(world) {
      const path = await createGitRepository(join(world.folder, "abundant"));
      await writeFile(join(path, "large"), "x\n".repeat(1_000_000));
      await git(path, "add", ".");
      await git(path, "commit", "--quiet", "-m", "Large");
      await writeFile(join(path, "large"), "y\n".repeat(1_000_000));
      const message = join(world.folder, "message");
      await writeFile(message, "m".repeat(10 * 1024 ** 2));
      const { stdout: parent } = await git(path, "rev-parse", "HEAD");
      const { stdout: wordy } = await git(
        path,
        "commit-tree",
        "HEAD^{tree}",
        "-p",
        "HEAD",
        "-F",
        message,
      );
      const heads = Array.from(
        { length: 100_000 },
        (_, index) =>
          `${parent.trim()} refs/heads/b/${String(index).padStart(6, "0")}\n`,
      );
      await mkdir(join(path, ".git/refs"), { recursive: true });
      await writeFile(
        join(path, ".git/packed-refs"),
        `# pack-refs with: peeled fully-peeled sorted \n${heads.join("")}`,
      );
      await git(path, "update-ref", "HEAD", wordy.trim());
      await writeFile(join(path, ".git/index.lock"), "");
      const { body: agent } = await world.api.call<{ id: string }>(
        "POST",
        "/api/agents",
        {
          name: "Abundant",
          cwd: path,
        },
      );
      for (const [operation, query] of [
        ["gitdiff", { path: "large" }],
        ["git/commit", { hash: "HEAD" }],
        ["git", {}],
        ["git/head", {}],
        ["gitstatus", {}],
        ["delivery", {}],
      ] as const) {
        // Answers within the daemon's own limit of git, or is cut off by us.
        const answer = await world.ask({
          target: at(agent.id, operation, query),
          headers: paired(world),
        });
        expect(
          [operation, [200, 504].includes(answer.status)],
          answer.body.slice(0, 300),
        ).toEqual([operation, true]);
        expect(answer.body.length).toBeLessThan(8 * 1024 ** 2);
        if (operation === "gitdiff" || operation === "git/commit")
          expect(JSON.parse(answer.body)).toMatchObject({ truncated: true });
      }
      await world.api.call("DELETE", `/api/agents/${agent.id}`, {});
    },
  },
];
