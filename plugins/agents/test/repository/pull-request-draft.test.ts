import { afterEach, describe, expect, test, vi } from "vitest";
import { plainGit } from "../help/plain-git.ts";
import { doing, printing, startWithGh } from "../help/stand-in-gh.ts";

afterEach(() => vi.unstubAllEnvs());

interface Draft {
  title?: string;
  body?: string;
  base?: string;
  repository?: string;
}

/** An agent on a branch that was just made, and what a new pull request of it would say. */
async function start(
  repository?: object,
  options: Parameters<typeof startWithGh>[1] = {},
) {
  const world = await startWithGh(
    repository ? doing({ repository: printing(repository) }) : "exit 1",
    options,
  );
  return {
    ...world,
    read: async () => (await world.get<Draft>("/draft")).body,
    set: (key: string, value: string) =>
      plainGit(world.cwd, "config", key, value),
    ref: (name: string, to = "HEAD") =>
      plainGit(world.cwd, "update-ref", `refs/remotes/${name}`, to),
  };
}

describe("a new pull request says", () => {
  test("what the only commit says", async () => {
    const { kernel, read, commit, push } = await start();
    await using _ = kernel;
    await commit("Add tax rates\n\nOf all states.\n\n- by year");
    await push();
    expect(await read()).toEqual({
      title: "Add tax rates",
      body: "Of all states.\n\n- by year",
      base: "main",
      repository: "github.com/ann/it",
    });
  });

  test("what the branch is called and its commits say, the first ones first", async () => {
    const branch = "feature/tax-rates_2026";
    const { kernel, read, commit, push, cwd } = await start(undefined, {
      branch,
    });
    await using _ = kernel;
    await commit("Add it\n\nWith a body.");
    await plainGit(cwd, "switch", "-qc", "other", "main");
    await commit("Not in it");
    await plainGit(cwd, "update-ref", "refs/remotes/origin/main", "HEAD");
    await plainGit(cwd, "switch", "-q", branch);
    await plainGit(cwd, "merge", "-q", "-m", "Merge main", "other");
    await commit("Test it");
    await push();
    expect(await read()).toMatchObject({
      title: "Tax rates 2026",
      body: "- Add it\n- Test it",
    });
  });

  test(
    "no more than the first 50 of many commits",
    { tags: "thorough" },
    async () => {
      const { kernel, read, push, cwd } = await start();
      await using _ = kernel;
      let last = await plainGit(cwd, "rev-parse", "HEAD");
      const tree = await plainGit(cwd, "rev-parse", "HEAD^{tree}");
      for (let at = 1; at <= 53; at += 1)
        last = await plainGit(
          cwd,
          ...["commit-tree", tree, "-p", last, "-m", `Step ${at}`],
        );
      await plainGit(cwd, "update-ref", "refs/heads/topic", last);
      await push();
      const lines = (await read()).body?.split("\n") ?? [];
      expect([lines[0], lines[49], ...lines.slice(50)]).toEqual([
        "- Step 1",
        "- Step 50",
        "",
        "And 3 more.",
      ]);
    },
  );

  test(
    "nothing that a terminal would act on, and no title that GitHub would not take",
    { tags: "thorough" },
    async () => {
      const { kernel, read, commit, push, open } = await start();
      await using _ = kernel;
      await commit(`\u001b[31m${"long ".repeat(80)}\n\na\u0007b\u202ec`);
      await push();
      const { title = "", body = "" } = await read();
      expect(title).toMatch(/^\[31mlong .*…$/);
      expect(title.length).toBeLessThanOrEqual(256);
      expect(body).toBe("abc");
      // It is taken as it is.
      expect((await open({ title, body })).status).not.toBe(400);
    },
  );
});

describe("a new pull request is for", () => {
  test(
    "what the remote calls its default branch",
    { tags: "thorough" },
    async () => {
      const { kernel, read, commit, push, ref, cwd } = await start();
      await using _ = kernel;
      await ref("origin/trunk");
      await plainGit(
        cwd,
        ...["symbolic-ref", "refs/remotes/origin/HEAD"],
        "refs/remotes/origin/trunk",
      );
      await commit("Add it");
      await push();
      expect((await read()).base).toBe("trunk");
    },
  );

  test("the repository and the branch that GitHub names, which is asked once", async () => {
    const { kernel, read, commit, push, calls, ref } = await start({
      nameWithOwner: "Ann/renamed",
      parent: null,
      defaultBranchRef: { name: "next" },
    });
    await using _ = kernel;
    await ref("origin/next");
    await commit("Add it");
    await push();
    const expected = {
      repository: "github.com/Ann/renamed",
      base: "next",
      title: "Add it",
    };
    expect(await read()).toMatchObject(expected);
    expect(await read()).toMatchObject(expected);
    expect(await calls()).toEqual([
      expect.stringMatching(
        / \[repo\] \[view\] \[github.com\/ann\/it\] \[--json=nameWithOwner,parent,defaultBranchRef\]$/,
      ),
    ]);
  });

  test("the main repository of a fork", { tags: "thorough" }, async () => {
    const fork = {
      nameWithOwner: "ann/it",
      parent: { id: "R_1", name: "main-one", owner: { login: "org" } },
      defaultBranchRef: { name: "fork" },
    };
    const main = {
      nameWithOwner: "org/main-one",
      parent: null,
      defaultBranchRef: { name: "next" },
    };
    const { kernel, read, commit, push, become } = await start(fork);
    await using _ = kernel;
    await commit("Add it");
    await push();
    await become(
      doing({
        repository: `if [ "$3" = github.com/ann/it ]; then ${printing(fork)}
else ${printing(main)}
fi`,
      }),
    );
    expect(await read()).toMatchObject({
      repository: "github.com/org/main-one",
      base: "next",
    });
  });

  test.each([
    ["where GitHub cannot be asked", undefined],
    [
      "although it is a fork too",
      {
        nameWithOwner: "team/it",
        parent: { id: "R_1", name: "main-one", owner: { login: "org" } },
      },
    ],
  ])("the remote called upstream, %s", async (_, repository) => {
    const { kernel, read, commit, push, set, ref } = await start(repository);
    await using _kernel = kernel;
    await set("remote.upstream.url", "https://github.com/team/it.git");
    await set("remote.upstream.fetch", "+refs/heads/*:refs/remotes/upstream/*");
    await ref("upstream/main", "main");
    await commit("Add it");
    await push();
    expect(await read()).toMatchObject({
      repository: "github.com/team/it",
      base: "main",
      title: "Add it",
    });
  });
});
