import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createRepository, fastImport, plainGit } from "../help/plain-git.ts";
import { RepositoryView, type HistoryAnswer } from "../help/repository-view.ts";
import { temporaryFolder } from "../help/temporary.ts";

/** A stream of commits, each a minute after the one before; every tenth begins a branch, which is merged five later. */
function* commits(count: number, branching: boolean): Generator<string> {
  for (let index = 1; index <= count; index++) {
    const time = `${1_600_000_000 + index * 60} +0000`;
    const onSide = branching && index > 10 && index % 10 < 5;
    const branch = onSide ? "side" : "main";
    const isFirst = onSide && index % 10 === 0;
    const merges = branching && index > 15 && index % 10 === 5;
    yield (
      `commit refs/heads/${branch}\nmark :${index}\ncommitter Ann <ann@example.org> ${time}\n` +
      `data <<END\nCommit ${index}\nEND\n` +
      (isFirst ? `from :${index - 1}\n` : "") +
      (merges ? `from :${index - 6}\nmerge :${index - 1}\n` : "") +
      `M 100644 inline file\ndata <<END\n${index}\nEND\n\n`
    );
  }
}

async function imported(count: number, branching = true): Promise<string> {
  const cwd = join(await temporaryFolder(), "work");
  await mkdir(cwd);
  await plainGit(cwd, "init", "-q", "-b", "main");
  await fastImport(cwd, commits(count, branching));
  return cwd;
}

describe("the graph", () => {
  test("has every commit once, page by page as in one, with its lanes", async () => {
    const cwd = await imported(60);
    await using view = await RepositoryView.open(cwd);
    const whole = await view.history(500);
    const listed = await plainGit(cwd, "log", "--format=%H", "main", "side");
    expect(whole.map(({ hash }) => hash)).toEqual(listed.split("\n"));
    expect(await view.history(7)).toEqual(whole);
    expect(Math.max(...whole.map(({ lane }) => lane))).toBeLessThan(4);
    const merge = whole.find(({ subject }) => subject === "Commit 55");
    expect(merge?.parents).toHaveLength(2);
    expect(merge?.out).toHaveLength(2);
  });

  test(
    "draws commits of one second after their children, on any page",
    { tags: "thorough" },
    async () => {
      const cwd = await createRepository(
        join(await temporaryFolder(), "work"),
        {
          a: "",
        },
      );
      for (let round = 0; round < 4; round++) {
        await plainGit(cwd, "switch", "-qc", `side-${round}`);
        await plainGit(cwd, "commit", "--allow-empty", "-qm", `Side ${round}`);
        await plainGit(cwd, "switch", "-q", "main");
        await plainGit(cwd, "commit", "--allow-empty", "-qm", `Main ${round}`);
        await plainGit(cwd, "merge", "-q", "-m", "Merge", `side-${round}`);
      }
      await using view = await RepositoryView.open(cwd);
      for (const limit of [100, 3]) {
        const rows = await view.history(limit);
        expect(rows).toHaveLength(13);
        const at = new Map(rows.map(({ hash }, index) => [hash, index]));
        for (const { hash, parents, out } of rows) {
          expect(out).toHaveLength(parents.length);
          for (const parent of parents)
            expect(at.get(parent)).toBeGreaterThan(at.get(hash)!);
        }
      }
    },
  );

  test("lists branches, tags, what is checked out, and which agent is in which working tree", async () => {
    const cwd = await createRepository(join(await temporaryFolder(), "work"), {
      a: "1",
    });
    await plainGit(cwd, "tag", "-a", "v1", "-m", "One");
    await plainGit(cwd, "branch", "feature/a,b");
    const beside = join(cwd, "..", "beside");
    await plainGit(cwd, "worktree", "add", "-q", "-b", "other", beside);
    await using view = await RepositoryView.open(cwd);
    await mkdir(join(beside, "deep"));
    const { id } = await view.agents.create({
      cli: "practice",
      name: "Guest",
      cwd: join(beside, "deep"),
    });
    const { body } = await view.get<HistoryAnswer>("git");
    const hash = await plainGit(cwd, "rev-parse", "HEAD");
    expect(body.head).toEqual({ hash, branch: "main" });
    expect(body.refs).toEqual(
      expect.arrayContaining([
        { name: "main", kind: "branch", hash },
        { name: "feature/a,b", kind: "branch", hash },
        { name: "v1", kind: "tag", hash },
      ]),
    );
    expect(body.items).toMatchObject([
      { hash, subject: "Begin", author: "Ann" },
    ]);
    expect(body.worktrees).toMatchObject([
      { path: cwd, branch: "main", current: true, agents: [{ id: view.id }] },
      {
        path: beside,
        branch: "other",
        current: false,
        agents: [{ id, name: "Guest", state: "closed" }],
      },
    ]);
  });

  test("a folder without a repository, and a repository without a commit, are no errors", async () => {
    const cwd = await temporaryFolder();
    await using view = await RepositoryView.open(cwd);
    const none = { status: 200, body: { git: false } };
    for (const operation of ["git", "git/head", "gitstatus", "gitdiff"])
      expect(await view.get(operation), operation).toMatchObject(none);
    expect(await view.get("git/commit", { hash: "HEAD" })).toMatchObject(none);
    expect(
      await view.get("git/blob", { hash: "HEAD", path: "a" }),
    ).toMatchObject(none);
    await plainGit(cwd, "init", "-q", "-b", "main");
    expect((await view.get("git")).body).toMatchObject({
      git: true,
      head: { hash: null, branch: "main" },
      items: [],
      nextCursor: null,
    });
  });

  test("a cursor that it never gave is refused", async () => {
    const cwd = await createRepository(join(await temporaryFolder(), "work"), {
      a: "",
    });
    await using view = await RepositoryView.open(cwd);
    const bad = [
      "x",
      "~",
      `${"A".repeat(27)}~`,
      "--all~",
      `~${"_".repeat(43)}`,
    ];
    for (const cursor of bad) {
      const { status, body } = await view.get("git", { cursor });
      expect([cursor, status, body.code]).toEqual([
        cursor,
        400,
        "GIT_CURSOR_INVALID",
      ]);
    }
  });
});

test(
  "a page of 100,000 commits costs what the page costs, at its beginning and in its midst",
  { tags: "thorough" },
  async () => {
    const openHistory = async (commits: number) =>
      RepositoryView.open(await imported(commits));
    await using view = await openHistory(100_000);
    await using shortView = await openHistory(1_000);
    const read = async (
      of: RepositoryView,
      query: Record<string, string | number>,
    ) => (await of.get<HistoryAnswer>("git", query)).body;
    const first = await read(view, { limit: 100 });
    expect(first.items).toHaveLength(100);
    let { nextCursor } = first;
    for (let page = 0; page < 10; page++)
      ({ nextCursor } = await read(view, {
        limit: 500,
        cursor: nextCursor ?? "",
      }));
    const deep = { limit: 100, cursor: nextCursor ?? "" };
    expect((await read(view, deep)).items.at(-1)?.subject).toBe(
      `Commit ${100_000 - 5199}`,
    );

    // Most of it is git's own time, so that the least of some measurements is compared, taken in turn.
    const least = { short: Infinity, first: Infinity, deep: Infinity };
    for (let round = 0; round < 4; round++) {
      const measure = async (
        name: keyof typeof least,
        work: Promise<unknown>,
      ) => {
        const start = performance.now();
        await work;
        least[name] = Math.min(least[name], performance.now() - start);
      };
      await measure("short", read(shortView, { limit: 100 }));
      await measure("first", read(view, { limit: 100 }));
      await measure("deep", read(view, deep));
    }
    console.info(`100,000 commits: ${JSON.stringify(least)}`);
    expect(least.first / least.short).toBeLessThan(8);
    expect(least.deep / least.short).toBeLessThan(8);
  },
);
