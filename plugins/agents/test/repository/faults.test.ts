import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createRepository, plainGit, writeFiles } from "../help/plain-git.ts";
import { RepositoryView } from "../help/repository-view.ts";
import { temporaryFolder } from "../help/temporary.ts";

afterEach(() => vi.unstubAllEnvs());

interface Answer {
  items: { path: string; subject: string }[];
  files: { path: string; additions: number | null }[];
  refs: { name: string }[];
  patch: string;
  notices: string[];
  code?: string;
  detail?: string;
  [field: string]: unknown;
}

const fresh = async (files: Record<string, string>) =>
  createRepository(join(await temporaryFolder(), "work"), files);

const paths = (items: readonly { path: string }[]) =>
  items.map(({ path }) => path).sort();

/** Takes an object out of a repository, as a partial clone or a damaged disk does. */
async function removeObject(cwd: string, revision: string): Promise<void> {
  const hash = await plainGit(cwd, "rev-parse", revision);
  await rm(join(cwd, ".git/objects", hash.slice(0, 2), hash.slice(2)));
}

describe("objects that are not there", () => {
  test(
    "hide neither the rest of a commit nor that of the changes",
    { tags: "thorough" },
    async () => {
      const filesOf = (text: string) => ({
        a: `a${text}\n`,
        b: `b${text}\n`,
        c: `c${text}\n`,
      });
      const cwd = await fresh(filesOf("1"));
      await writeFiles(cwd, filesOf("2"));
      await plainGit(cwd, "commit", "-qam", "Second\n\nwith a body");
      await writeFiles(cwd, filesOf("3"));
      await removeObject(cwd, "HEAD:b");
      await using view = await RepositoryView.open(cwd);
      const commit = await view.get<Answer>("git/commit", { hash: "HEAD" });
      expect(commit.status).toBe(200);
      expect(commit.body).toMatchObject({
        message: "Second\n\nwith a body",
        author: "Ann",
        truncated: true,
        notices: [expect.stringMatching(/^b: .*not in this clone/) as string],
      });
      expect(paths(commit.body.files)).toEqual(["a", "b", "c"]);
      expect(commit.body.patch).toMatch(/b\/a\n[^]*b\/c\n/);
      const all = await view.get<Answer>("gitdiff");
      expect(all.body.patch).toMatch(/b\/a\n[^]*b\/c\n/);
      expect(all.body.notices).toHaveLength(1);
      for (const [operation, query] of [
        ["gitdiff", { path: "b" }],
        ["git/blob", { hash: "HEAD", path: "b" }],
      ] as const)
        expect(await view.get(operation, query)).toMatchObject({
          status: 409,
          body: {
            code: "GIT_OBJECT_MISSING",
            detail: expect.stringContaining("git fetch") as string,
          },
        });
      const { body } = await view.get<Answer>("gitstatus");
      expect(paths(body.items)).toEqual(["a", "b", "c"]);
      expect(
        (await view.get("git/blob", { hash: "HEAD", path: "none" })).body.code,
      ).toBe("PATH_NOT_FOUND");
    },
  );

  test(
    "a file that was moved is told as gone and new, if its contents cannot be compared",
    { tags: ["thorough"] },
    async () => {
      const cwd = await fresh({ old: "1\n".repeat(9), other: "1\n" });
      await plainGit(cwd, "mv", "old", "new");
      await writeFiles(cwd, { new: "1\n".repeat(9) + "2\n", other: "2\n" });
      await plainGit(cwd, "add", "new");
      await removeObject(cwd, "HEAD:old");
      await using view = await RepositoryView.open(cwd);
      const { body } = await view.get<Answer>("gitstatus");
      expect(paths(body.items)).toEqual(["new", "old", "other"]);
    },
  );

  test(
    "trees: a commit is told without its files, and that they are not known",
    { tags: ["thorough"] },
    async () => {
      const cwd = await fresh({ "deep/a": "1\n" });
      await writeFiles(cwd, { "deep/a": "2\n" });
      await plainGit(cwd, "commit", "-qam", "Second");
      await removeObject(cwd, "HEAD~1^{tree}");
      await using view = await RepositoryView.open(cwd);
      for (const hash of ["HEAD", "HEAD~1"]) {
        const revision = await plainGit(cwd, "rev-parse", hash);
        const { body } = await view.get<Answer>("git/commit", {
          hash: revision,
        });
        expect(body).toMatchObject({
          author: "Ann",
          files: [],
          truncated: true,
          notices: [expect.stringContaining("not in this clone") as string],
        });
      }
      const { body } = await view.get<Answer>("git");
      expect(body.items.map(({ subject }) => subject)).toEqual([
        "Second",
        "Begin",
      ]);
    },
  );

  test(
    "parents: the last commit of a shallow clone says so",
    { tags: ["thorough"] },
    async () => {
      const cwd = await fresh({ a: "1\n" });
      await plainGit(cwd, "commit", "-q", "--allow-empty", "-m", "Two");
      await plainGit(
        cwd,
        "clone",
        "-q",
        "--depth=1",
        `file://${cwd}`,
        "../clone",
      );
      await using view = await RepositoryView.open(join(cwd, "../clone"));
      const { body } = await view.get<Answer>("git/commit", { hash: "HEAD" });
      expect(body.notices).toEqual([expect.stringContaining("is shallow")]);
      const whole = await view.at(cwd);
      const first = await plainGit(cwd, "rev-parse", "HEAD~1");
      const root = await whole.get<Answer>("git/commit", { hash: first });
      expect(root.body.notices).toEqual([]);
    },
  );

  test(
    "commits: the history is told down to there, with the branches that have theirs",
    { tags: "thorough" },
    async () => {
      const cwd = await fresh({ a: "1\n" });
      for (const text of ["Two", "Three"])
        await plainGit(cwd, "commit", "-q", "--allow-empty", "-m", text);
      await plainGit(cwd, "branch", "good");
      const missing = `${"1234567890".repeat(4)}\n`;
      await writeFile(join(cwd, ".git/refs/heads/broken"), missing);
      await using view = await RepositoryView.open(cwd);
      const read = async () => (await view.get<Answer>("git")).body;
      const names = ({ refs }: Answer) => refs.map(({ name }) => name).sort();
      expect(names(await read())).toEqual(["good", "main"]);
      expect((await read()).items).toHaveLength(3);
      await removeObject(cwd, "HEAD~2");
      const cut = await read();
      expect(cut.items[0]?.subject).toBe("Three");
      expect(cut).toMatchObject({ truncated: true, nextCursor: null });
      expect(cut.notices.length).toBeGreaterThan(0);
    },
  );
});

test(
  "a filter that is not installed hides no other file, and is named",
  { tags: ["thorough"] },
  async () => {
    const home = await temporaryFolder();
    await writeFile(
      join(home, ".gitconfig"),
      '[filter "lfs"]\n\tprocess = git-lfs-none filter-process\n\trequired = true\n',
    );
    vi.stubEnv("HOME", home);
    const cwd = await fresh({ a: "1\n", "a.bin": "1\n" });
    await writeFiles(cwd, {
      ".gitattributes": "*.bin filter=lfs\n",
      a: "2\n",
      "a.bin": "2\n",
      "new.bin": "new\n",
    });
    await using view = await RepositoryView.open(cwd);
    const { body } = await view.get<Answer>("gitstatus");
    expect(paths(body.items)).toEqual([
      ".gitattributes",
      "a",
      "a.bin",
      "new.bin",
    ]);
    expect(body.notices.join()).toContain('filter "lfs" failed');
    for (const path of ["a.bin", "new.bin", undefined]) {
      const query: Record<string, string> = path ? { path } : {};
      const diff = await view.get<Answer>("gitdiff", query);
      expect(diff.body.patch).toMatch(/\.bin\n/);
      expect(diff.body.notices.join()).toContain('filter "lfs" failed');
    }
  },
);

test("what git says is told, in one line each, cut, and with everything visible in it", async () => {
  const cwd = await fresh({ a: "1\n" });
  await using view = await RepositoryView.open(cwd);
  const config = await readFile(join(cwd, ".git/config"), "utf8");
  await writeFile(
    join(cwd, ".git/config"),
    `${config}[core]\n\trepositoryformatversion = 1\n[extensions]\n\todd\u202e${"x".repeat(2000)} = 1\n`,
  );
  const refused = await view.get<Answer>("gitstatus");
  expect(refused).toMatchObject({ status: 502, body: { code: "GIT_FAILED" } });
  expect(refused.body.detail).toMatch(/extension|config line/);
  expect(refused.body.detail?.length).toBeLessThan(1000);
  await writeFile(join(cwd, ".git/config"), config);
  await mkdir(join(cwd, ".git/refs/heads"), { recursive: true });
  await writeFile(join(cwd, ".git/index"), "no index");
  const broken = await view.get<Answer>("gitstatus");
  expect(broken.body.detail).toMatch(/index file|signature/);
  // The results of messages are reported all the same.
  const { status, body } = await view.get<Answer>("delivery");
  expect([status, body["git"]]).toEqual([200, null]);
  expect(body["gitFault"]).toMatch(/index file|signature/);
});
