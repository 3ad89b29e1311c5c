import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createRepository, plainGit, writeFiles } from "../help/plain-git.ts";
import { RepositoryView } from "../help/repository-view.ts";
import { temporaryFolder } from "../help/temporary.ts";

const fresh = async (files: Record<string, string | Uint8Array>) =>
  createRepository(join(await temporaryFolder(), "work"), files);

interface Changes {
  items: { path: string; from: string | null; kind: string; staged: boolean }[];
  [field: string]: unknown;
}

describe("status and diff", () => {
  test("report each kind of change, under names of any kind", async () => {
    const cwd = await fresh({
      a: "1\n",
      "b c": "2\n",
      d: "3\n".repeat(9),
      "é\n→": "x\n",
      gone: "",
    });
    await writeFiles(cwd, {
      a: "one\n",
      bytes: new Uint8Array([0, 1]),
      "new/deep/x": "n\n",
      "é\n→": "y\n",
    });
    await rename(join(cwd, "d"), join(cwd, "moved"));
    await rm(join(cwd, "gone"));
    await plainGit(cwd, "add", "-A", "d", "moved", "a");
    await writeFile(join(cwd, "a"), "uno\n");
    await using view = await RepositoryView.open(cwd);
    const { body } = await view.get<Changes>("gitstatus");
    expect(body).toMatchObject({
      git: true,
      branch: "main",
      upstream: null,
      ahead: null,
    });
    const sorted = [...body.items].sort((one, other) =>
      one.path < other.path ? -1 : 1,
    );
    const not = { staged: false, partlyStaged: false };
    const unstaged = { from: null, submodule: null, ...not };
    const added = (additions: number, deletions: number) => ({
      additions,
      deletions,
    });
    expect(sorted).toEqual([
      {
        ...{ path: "a", kind: "modified", ...unstaged, ...added(1, 1) },
        partlyStaged: true,
      },
      {
        ...{ path: "bytes", kind: "untracked", ...unstaged },
        ...{ additions: null, deletions: null },
      },
      { path: "gone", kind: "deleted", ...unstaged, ...added(0, 0) },
      {
        ...{ path: "moved", from: "d", kind: "renamed", staged: true },
        partlyStaged: false,
        ...{ submodule: null, ...added(0, 0) },
      },
      { path: "new/deep/x", kind: "untracked", ...unstaged, ...added(1, 0) },
      { path: "é\n→", kind: "modified", ...unstaged, ...added(1, 1) },
    ]);
    const patchOf = async (query: Record<string, string>) =>
      (await view.get<{ patch: string }>("gitdiff", query)).body.patch;
    expect(await patchOf({ path: "a" })).toMatch(/^-1\n\+uno$/m);
    expect(await patchOf({ path: "é\n→" })).toContain("+y");
    expect(await patchOf({ path: "moved", from: "d" })).toContain(
      "rename from d",
    );
    expect(await patchOf({ path: "new/deep/x" })).toBe(
      "diff --git a/new/deep/x b/new/deep/x\nnew file mode 100644\nindex 0000000..8ba3a16\n--- /dev/null\n+++ b/new/deep/x\n@@ -0,0 +1 @@\n+n\n",
    );
    const all = await patchOf({});
    expect(all).toContain("+uno");
    expect(all).toContain("rename to moved");
    expect(all).toContain("+++ b/new/deep/x\n@@ -0,0 +1 @@\n+n\n");
    expect(all).toContain("Binary files /dev/null and b/bytes differ");
    expect(await patchOf({ path: "b c" })).toBe("");
  });

  test("of a folder in a repository, only what lies in the folder, with paths from there", async () => {
    const root = await fresh({ "part/a": "1\n", other: "1\n" });
    await writeFiles(root, {
      "part/a": "2\n",
      other: "2\n",
      "part/new": "",
      new: "",
    });
    await using view = await RepositoryView.open(join(root, "part"));
    const { body } = await view.get<Changes>("gitstatus");
    expect(body.items.map(({ path }) => path).sort()).toEqual(["a", "new"]);
    const { body: diff } = await view.get<{ patch: string }>("gitdiff");
    expect(diff.patch).toContain("a/a b/a");
    expect(diff.patch).not.toContain("other");
    for (const path of ["../other", "/etc/passwd", "a/../../other"]) {
      const outside = await view.get("gitdiff", { path });
      expect([outside.status, outside.body.code]).toEqual([
        403,
        "PATH_OUTSIDE",
      ]);
    }
    const { body: commit } = await view.get<{
      files: { path: string }[];
      patch: string;
    }>("git/commit", { hash: "HEAD" });
    expect(commit.files.map(({ path }) => path)).toEqual(["a"]);
    expect(
      (await view.get("git/blob", { hash: "main", path: "a" })).body,
    ).toMatchObject({
      text: "1\n",
      path: "a",
    });
  });

  test(
    "a path filter is a path, whatever it looks like",
    { tags: ["thorough"] },
    async () => {
      const cwd = await fresh({
        ":(exclude)a": "1\n",
        a: "1\n",
        "-x": "1\n",
        "*": "1\n",
      });
      await writeFiles(cwd, {
        ":(exclude)a": "2\n",
        a: "2\n",
        "-x": "2\n",
        "*": "2\n",
      });
      await using view = await RepositoryView.open(cwd);
      for (const path of [":(exclude)a", "a", "-x", "*"]) {
        const { body } = await view.get<{ patch: string }>("gitdiff", { path });
        expect(body.patch.match(/^diff --git/gm), path).toHaveLength(1);
        expect(body.patch).toContain(`b/${path}`);
      }
      for (const path of [":!a", ":/", "--", "--output=x"])
        expect((await view.get("gitdiff", { path })).body).toMatchObject({
          patch: "",
        });
    },
  );

  test("the mark to poll changes with each change, and only then", async () => {
    const cwd = await fresh({ a: "1" });
    await using view = await RepositoryView.open(cwd);
    const mark = async () =>
      (
        await view.get<{ key: string; token: string; dirty: boolean }>(
          "git/head",
        )
      ).body;
    const clean = await mark();
    expect(await mark()).toEqual(clean);
    expect(clean.dirty).toBe(false);
    await writeFile(join(cwd, "a"), "22");
    const dirty = await mark();
    expect([dirty.dirty, dirty.key === clean.key]).toEqual([true, true]);
    await writeFile(join(cwd, "a"), "333");
    const again = await mark();
    expect(new Set([clean.token, dirty.token, again.token]).size).toBe(3);
    await plainGit(cwd, "commit", "-qam", "x");
    expect((await mark()).key).not.toBe(clean.key);
  });
});

describe("a commit", () => {
  test("comes with its files and its patch; a merge is compared with its first parent", async () => {
    const cwd = await fresh({
      a: "1\n",
      b: "2\n".repeat(5),
      image: new Uint8Array([0, 1, 2]),
    });
    await plainGit(cwd, "switch", "-qc", "side");
    await writeFiles(cwd, { a: "1\n1\n", image: new Uint8Array([0, 3]) });
    await plainGit(cwd, "mv", "b", "c\td");
    await plainGit(cwd, "commit", "-qam", "Subject\n\nBody of it");
    await plainGit(cwd, "switch", "-q", "main");
    await plainGit(cwd, "merge", "-q", "--no-ff", "-m", "Merge", "side");
    await using view = await RepositoryView.open(cwd);
    const { body } = await view.get("git/commit", { hash: "side" });
    expect(body).toMatchObject({
      git: true,
      message: "Subject\n\nBody of it",
      author: "Ann",
      email: "ann@example.org",
      truncated: false,
      files: [
        { path: "a", kind: "modified", additions: 1, deletions: 0 },
        {
          path: "c\td",
          from: "b",
          kind: "renamed",
          additions: 0,
          deletions: 0,
        },
        { path: "image", kind: "modified", additions: null, deletions: null },
      ],
    });
    expect(body["patch"]).toContain("+1");
    const merge = await view.get("git/commit", { hash: "HEAD" });
    expect(merge.body["parents"]).toHaveLength(2);
    expect(merge.body["files"]).toEqual(body["files"]);
    const root = await view.get<{ files: object[] }>("git/commit", {
      hash: await plainGit(cwd, "rev-list", "--max-parents=0", "HEAD"),
    });
    expect(root.body.files).toHaveLength(3);
  });

  test("what is no revision never gets to git, and what is none there is not found", async () => {
    const cwd = await fresh({ a: "" });
    await plainGit(cwd, "update-ref", "refs/heads/-evil", "HEAD");
    await using view = await RepositoryView.open(cwd);
    const cases = [
      ["--output=/tmp/canary-1", 400],
      ["-h", 400],
      ["--upload-pack=touch", 400],
      ["-evil", 400],
      ["HEAD:../../etc/passwd", 400],
      ["@{u}", 400],
      ["x^{/a*}", 400],
      ["a..b", 400],
      ["HEAD\nHEAD", 400],
      ["refs/heads/a b", 400],
      ["x".repeat(2000), 400],
      [":/.*.*.*", 400],
      ["0".repeat(40), 404],
      ["nothing", 404],
    ] as const;
    for (const [hash, status] of cases)
      for (const operation of ["git/commit", "git/blob"]) {
        const query: Record<string, string> = { hash };
        if (operation === "git/blob") query["path"] = "a";
        const answer = await view.get(operation, query);
        expect([hash, answer.status, answer.body.code]).toEqual([
          hash,
          status,
          status === 400 ? "REVISION_INVALID" : "REVISION_NOT_FOUND",
        ]);
      }
    const odd = await view.get("git/commit", { hash: "refs/heads/-evil" });
    expect(odd.body).toMatchObject({ message: "Begin" });
  });

  test("a file at a revision is text of that very path, or it is refused", async () => {
    const cwd = await fresh({
      "sub/a": "Ä\n",
      bin: new Uint8Array([0]),
      latin: new Uint8Array([0xe4]),
      big: "x".repeat(1024 * 1024 + 1),
    });
    await symlink("/etc/passwd", join(cwd, "link"));
    await plainGit(cwd, "add", ".");
    await plainGit(cwd, "commit", "-qm", "Link");
    await using view = await RepositoryView.open(cwd);
    const at = async (path: string) =>
      (await view.get("git/blob", { hash: "HEAD", path })).body;
    expect(await at("sub/a")).toMatchObject({ text: "Ä\n", bytes: 3 });
    expect((await at("bin")).code).toBe("FILE_NOT_TEXT");
    expect((await at("latin")).code).toBe("FILE_NOT_TEXT");
    expect((await at("big")).code).toBe("FILE_TOO_LARGE");
    expect((await at("sub")).code).toBe("FILE_NOT_REGULAR");
    expect((await at("link")).code).toBe("FILE_NOT_REGULAR");
    expect((await at("../x")).code).toBe("PATH_OUTSIDE");
    for (const path of ["none", "*", ":(glob)**", "-x"])
      expect((await at(path)).code, path).toBe("PATH_NOT_FOUND");
    const bytesOf = async (path: string) => {
      const query = new URLSearchParams({ hash: "HEAD", path }).toString();
      return await view.agents.kernel.api.open(
        `/api/agents/${view.id}/git/bytes?${query}`,
      );
    };
    await writeFile(join(cwd, "bin"), "changed since");
    const bin = await bytesOf("bin");
    expect([...new Uint8Array(await bin.arrayBuffer())]).toEqual([0]);
    expect(Object.fromEntries(bin.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-security-policy": "sandbox; default-src 'none'",
      "content-disposition": expect.stringContaining("attachment") as string,
    });
    expect((await bytesOf("big")).status).toBe(200);
    for (const [path, status] of [
      ["link", 400],
      ["../x", 403],
      ["none", 404],
    ] as const)
      expect([path, (await bytesOf(path)).status]).toEqual([path, status]);
  });
});

test("delivery counts messages, and how far the branch is from the default one", async () => {
  const cwd = await fresh({ a: "1" });
  await plainGit(cwd, "switch", "-qc", "topic");
  await writeFile(join(cwd, "a"), "2");
  await plainGit(cwd, "commit", "-qam", "Two");
  await writeFile(join(cwd, "new"), "");
  await using view = await RepositoryView.open(cwd);
  await view.agents.ask(view.id, "[[reply:done]]");
  expect((await view.get("delivery")).body).toEqual({
    tasks: { queued: 0, delivering: 0, delivered: 1, failed: 0, cancelled: 0 },
    ways: { protocol: 1, receiver: 0, paste: 0 },
    way: "protocol",
    git: { branch: "topic", base: "main", ahead: 1, behind: 0, dirty: 1 },
    gitFault: null,
  });
  await plainGit(cwd, "update-ref", "refs/remotes/origin/trunk", "HEAD~1");
  await plainGit(
    cwd,
    "symbolic-ref",
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/trunk",
  );
  expect((await view.get("delivery")).body["git"]).toMatchObject({
    base: "origin/trunk",
    ahead: 1,
  });
  const other = await view.agents.create({ cli: "practice" });
  const { body } = await view.agents.kernel.api.get<{ git: null }>(
    `/api/agents/${other.id}/delivery`,
  );
  expect(body.git).toBeNull();
});

describe("too much of anything is cut, in time", () => {
  test(
    "lines of a diff, a message, parents, and a lock that was left behind",
    { tags: "thorough" },
    async () => {
      const cwd = await fresh({ a: "x\n".repeat(500_000) });
      await writeFile(join(cwd, "a"), "y\n".repeat(500_000));
      await writeFile(join(cwd, "message"), "m".repeat(2 * 1024 * 1024));
      const hash = await plainGit(
        cwd,
        "commit-tree",
        "HEAD^{tree}",
        "-p",
        "HEAD",
        "-F",
        "message",
      );
      await plainGit(cwd, "update-ref", "HEAD", hash);
      await writeFile(join(cwd, ".git/index.lock"), "");
      await using view = await RepositoryView.open(cwd);
      const diff = await view.get<{ patch: string; truncated: boolean }>(
        "gitdiff",
        { path: "a" },
      );
      expect([diff.status, diff.body.truncated]).toEqual([200, true]);
      expect(diff.body.patch.length).toBeLessThanOrEqual(2 * 1024 * 1024);
      expect(diff.body.patch.endsWith("\n")).toBe(true);
      const commit = await view.get<{ message: string; truncated: boolean }>(
        "git/commit",
        { hash: "HEAD" },
      );
      expect(commit.body.truncated).toBe(true);
      expect(commit.body.message.length).toBeLessThanOrEqual(64 * 1024);
      const graph = await view.get<{ items: { subject: string }[] }>("git");
      expect(graph.body.items.map(({ subject }) => subject.length)).toEqual([
        300, 5,
      ]);
      expect((await view.get("gitstatus")).status).toBe(200);
    },
  );

  test(
    "branches: the newest are told, and that there are more",
    { tags: ["thorough"] },
    async () => {
      const cwd = await fresh({ a: "" });
      const head = await plainGit(cwd, "rev-parse", "HEAD");
      const lines = Array.from(
        { length: 20_000 },
        (_, index) =>
          `${head} refs/heads/b/${String(index).padStart(6, "0")}\n`,
      );
      await mkdir(join(cwd, ".git"), { recursive: true });
      await writeFile(
        join(cwd, ".git/packed-refs"),
        `# pack-refs with: peeled fully-peeled sorted \n${lines.join("")}`,
      );
      await using view = await RepositoryView.open(cwd);
      const { status, body } = await view.get<{
        refs: object[];
        truncated: boolean;
        items: object[];
      }>("git");
      const { refs, items, truncated } = body;
      expect([status, refs.length, truncated, items.length]).toEqual([
        ...[200, 200, true, 1],
      ]);
    },
  );
});
