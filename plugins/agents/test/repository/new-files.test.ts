import { execFile } from "node:child_process";
import {
  chmod,
  mkdir,
  readdir,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import { toPathBytes, toPathText } from "../../src/repository/path-text.ts";
import { createRepository, plainGit, writeFiles } from "../help/plain-git.ts";
import { RepositoryView } from "../help/repository-view.ts";
import { temporaryFolder } from "../help/temporary.ts";

interface Diff {
  patch: string;
  notices: string[];
  code?: string;
}

const fresh = async (files: Record<string, string> = { a: "1\n" }) =>
  createRepository(join(await temporaryFolder(), "work"), files);

const latin1 = (folder: string, name: string) =>
  Buffer.from(`${folder}/${name}`, "latin1");

/** What git makes of patches in an empty repository. */
async function apply(patches: readonly string[]): Promise<string> {
  const folder = await temporaryFolder();
  await plainGit(folder, "init", "-q");
  const child = promisify(execFile)("git", ["apply", "--index", "-"], {
    cwd: folder,
  });
  child.child.stdin?.end(patches.join(""));
  await child;
  return await plainGit(folder, "ls-files", "-s", "-z");
}

describe("a file that is new to git", () => {
  test(
    "is printed by git: links as links wherever they lead, modes, and names as they are",
    { tags: "thorough" },
    async () => {
      const cwd = await fresh();
      const outside = await temporaryFolder();
      await writeFiles(outside, { "secret.txt": "not ours\n" });
      const links = {
        folder: outside,
        file: join(outside, "secret.txt"),
        dangling: "no/where",
        parent: "..",
      };
      for (const [name, target] of Object.entries(links))
        await symlink(target, join(cwd, name));
      const odd = [
        "a\nb",
        'q"t\t.txt',
        " lead",
        "-n",
        ":(top)x",
        "*",
        "b\\351",
      ];
      await writeFiles(
        cwd,
        Object.fromEntries(odd.map((name) => [name, `${name}\n`])),
      );
      await writeFiles(cwd, { "run.sh": "#!/bin/sh\n", empty: "" });
      await chmod(join(cwd, "run.sh"), 0o755);
      await using view = await RepositoryView.open(cwd);
      const { body } = await view.get<{ items: { path: string }[] }>(
        "gitstatus",
      );
      const patches: string[] = [];
      for (const { path } of body.items) {
        const diff = await view.get<Diff>("gitdiff", { path });
        expect([path, diff.status]).toEqual([path, 200]);
        expect(diff.body.patch).not.toContain("not ours");
        patches.push(diff.body.patch);
      }
      await plainGit(cwd, "rm", "-q", "--cached", "a");
      await plainGit(cwd, "add", ".", ":!a");
      expect(await apply(patches)).toBe(await plainGit(cwd, "ls-files", "-sz"));
    },
  );

  test("is not read through a link in its path, and nothing is written", async () => {
    const cwd = await fresh({ a: "1\n", "deep/b": "" });
    const outside = await temporaryFolder();
    await writeFiles(outside, { "secret.txt": "not ours\n" });
    await symlink(outside, join(cwd, "out"));
    await symlink("deep", join(cwd, "in"));
    await writeFiles(cwd, { "deep/new": "x\n" });
    await using view = await RepositoryView.open(cwd);
    const before = await readdir(join(cwd, ".git"), { recursive: true });
    for (const path of ["out/secret.txt", "in/new", ".git/config", "deep"]) {
      const { body } = await view.get<Diff>("gitdiff", { path });
      expect([path, body.patch ?? ""]).toEqual([path, ""]);
    }
    const { body } = await view.get<Diff>("gitdiff", { path: "deep/new" });
    expect(body.patch).toContain("+x");
    expect(await readdir(join(cwd, ".git"), { recursive: true })).toEqual(
      before,
    );
    const index = await plainGit(cwd, "ls-files", "--", "deep/new");
    expect(index).toBe("");
  });

  test(
    "is shown where another was: in place of a folder, taken out of the index, before the first commit",
    { tags: ["thorough"] },
    async () => {
      const cwd = await fresh({ "t/x": "x\n", out: "1\n" });
      await rm(join(cwd, "t"), { recursive: true });
      await symlink("/etc", join(cwd, "t"));
      await plainGit(cwd, "rm", "-q", "--cached", "out");
      await writeFiles(cwd, { out: "2\n" });
      await using view = await RepositoryView.open(cwd);
      const patchOf = async (from: RepositoryView, path: string) =>
        (await from.get<Diff>("gitdiff", { path })).body.patch;
      expect(await patchOf(view, "t")).toContain("+/etc\n");
      expect(await patchOf(view, "out")).toContain("+2\n");
      const empty = await temporaryFolder();
      await plainGit(empty, "init", "-q", "--object-format=sha256");
      await writeFiles(empty, { a: "1\n" });
      await plainGit(empty, "add", "a");
      await writeFiles(empty, { a: "2\n" });
      const other = await view.at(empty);
      expect(await patchOf(other, "a")).toContain("@@ -0,0 +1 @@\n+2\n");
      expect((await other.get<Diff>("gitdiff")).body.patch).toContain("+2\n");
    },
  );

  test(
    "below a folder of a repository, under its ignore rules, without a commit",
    { tags: ["thorough"] },
    async () => {
      const root = await fresh({ "part/a": "1\n", ".gitignore": "*.log\n" });
      await writeFiles(root, { "part/x.log": "seen\n", "part/n": "new\n" });
      await using view = await RepositoryView.open(join(root, "part"));
      for (const [path, text] of Object.entries({
        "x.log": "seen",
        n: "new",
      })) {
        const { body } = await view.get<Diff>("gitdiff", { path });
        expect(body.patch).toContain(
          `+++ b/${path}\n@@ -0,0 +1 @@\n+${text}\n`,
        );
      }
      const empty = await temporaryFolder();
      await plainGit(empty, "init", "-q");
      await writeFiles(empty, { first: "1\n", big: "x".repeat(600 * 1024) });
      const other = await view.at(empty);
      expect(
        (await other.get<Diff>("gitdiff", { path: "first" })).body.patch,
      ).toContain("+1");
      expect((await other.get("gitdiff", { path: "big" })).body.code).toBe(
        "FILE_TOO_LARGE",
      );
    },
  );
});

describe("names that are not UTF-8", () => {
  test(
    "stay apart, open, and are found again in a commit",
    { tags: ["thorough"] },
    async () => {
      const cwd = await fresh();
      await mkdir(latin1(cwd, "d\xf6"));
      const names = [
        "caf\xe9.txt",
        "caf\xe8.txt",
        "d\xf6/\xff",
        "caf\\351.txt",
      ];
      for (const [index, name] of names.entries())
        await writeFile(latin1(cwd, name), `text ${index}\n`);
      await using view = await RepositoryView.open(cwd);
      const rows = async () =>
        (
          await view.get<{ items: { path: string; kind: string }[] }>(
            "gitstatus",
          )
        ).body.items.map(({ path, kind }) => `${kind} ${path}`);
      const texts = [
        "caf\\351.txt",
        "caf\\350.txt",
        "d\\366/\\377",
        "caf\\134351.txt",
      ];
      const sorted = (kind: string) =>
        texts.map((text) => `${kind} ${text}`).sort();
      expect((await rows()).sort()).toEqual(sorted("untracked"));
      for (const [index, path] of texts.entries()) {
        const { body } = await view.get<Diff>("gitdiff", { path });
        expect(body.patch).toContain(`+text ${index}\n`);
      }
      await plainGit(cwd, "add", "-A");
      await plainGit(cwd, "commit", "-qm", "Odd");
      const { body } = await view.get<{ files: { path: string }[] }>(
        "git/commit",
        { hash: "HEAD" },
      );
      expect(body.files.map(({ path }) => path).sort()).toEqual(
        [...texts].sort(),
      );
      for (const [index, path] of texts.entries())
        expect(
          (await view.get("git/blob", { hash: "HEAD", path })).body["text"],
        ).toBe(`text ${index}\n`);
      for (const name of names) await writeFile(latin1(cwd, name), "two\n");
      expect((await rows()).sort()).toEqual(sorted("modified"));
      for (const path of texts)
        expect(
          (await view.get<Diff>("gitdiff", { path })).body.patch,
        ).toContain("+two\n");
      const all = (await view.get<Diff>("gitdiff")).body.patch;
      expect(all.match(/^diff --git/gm)).toHaveLength(4);
    },
  );

  test("have one text each, from which they come back", () => {
    const names = fc.oneof(
      fc.uint8Array({ maxLength: 12 }).map((data) => Buffer.from(data)),
      fc.string({ unit: "grapheme" }).map((text) => Buffer.from(text)),
      fc
        .array(fc.constantFrom("\\", "134", "351", "é", "\xe9", "/", '"'))
        .map((parts) => Buffer.from(parts.join(""), "latin1")),
    );
    fc.assert(
      fc.property(names, (name) => {
        const bytes = name.toString("latin1");
        const text = toPathText(bytes);
        expect(text.isWellFormed()).toBe(true);
        expect(toPathBytes(text)).toBe(bytes);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe("all files that are new to git", () => {
  test("are told together with what changed; what is ignored, too large or a repository of its own is not", async () => {
    const cwd = await fresh({ a: "1\n", ".gitignore": "ignored\n" });
    await writeFiles(cwd, {
      a: "2\n",
      ignored: "no\n",
      "deep/er/new": "yes\n",
      large: "x".repeat(600 * 1024),
    });
    await createRepository(join(cwd, "inner"), { own: "no\n" });
    await using view = await RepositoryView.open(cwd);
    const { body } = await view.get<Diff & { truncated: boolean }>("gitdiff");
    expect(body.patch.match(/^\+\+\+ .*$/gm)).toEqual([
      "+++ b/a",
      "+++ b/deep/er/new",
    ]);
    expect(body).toMatchObject({
      truncated: true,
      notices: [
        "large is new and larger than 512 KiB, so its lines are not shown.",
      ],
    });
  });

  test("are cut with a word where there are very many", async () => {
    const cwd = await fresh();
    await writeFiles(
      cwd,
      Object.fromEntries(
        Array.from({ length: 520 }, (_, index) => [`new/${index}`, "n\n"]),
      ),
    );
    await using view = await RepositoryView.open(cwd);
    const { body } = await view.get<Diff>("gitdiff");
    expect(body.patch.match(/^diff --git/gm)).toHaveLength(500);
    expect(body.notices).toEqual([
      "Only 500 of the files that are new to git are shown here; choose one to see it.",
    ]);
    const status = await view.get<{ items: { additions: number | null }[] }>(
      "gitstatus",
    );
    expect(status.body.items).toHaveLength(520);
    expect(
      status.body.items.filter(({ additions }) => additions === null),
    ).toHaveLength(20);
  });
});
