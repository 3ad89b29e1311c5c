import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  ghPullRequests,
  pickPullRequest,
} from "../../src/repository/pull-request.ts";
import { toPlace } from "../../src/repository/pull-requests.ts";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { createRepository, plainGit } from "../help/plain-git.ts";
import { temporaryFolder } from "../help/temporary.ts";

afterEach(() => vi.unstubAllEnvs());

const ANSWER = {
  number: 7,
  title: "Add it",
  url: "https://github.com/ann/it/pull/7",
  state: "OPEN",
  isDraft: false,
  baseRefName: "main",
  headRefName: "topic",
  reviewDecision: "APPROVED",
  mergeable: "MERGEABLE",
  updatedAt: "2026-03-01T00:00:00Z",
  statusCheckRollup: [
    { status: "COMPLETED", conclusion: "SUCCESS" },
    { state: "PENDING" },
  ],
};

/** An agent on a branch of a repository on GitHub, and a `gh` that does what a script says. */
async function startWith(script: string, remote = "git@github.com:ann/it.git") {
  const outer = await temporaryFolder();
  const cwd = await createRepository(join(outer, "work"), { a: "" });
  await plainGit(cwd, "remote", "add", "origin", remote);
  await plainGit(cwd, "switch", "-qc", "topic");
  const tools = join(outer, "tools");
  await mkdir(tools);
  await writeFile(
    join(tools, "gh"),
    `#!/bin/sh\necho "$PWD $@" >> ${outer}/calls\n${script}\n`,
  );
  await chmod(join(tools, "gh"), 0o755);
  vi.stubEnv("PATH", [tools, process.env["PATH"]].join(delimiter));
  const agents = await AgentsKernel.start({ fakeTime: true });
  const { id } = await agents.create({ cli: "practice", cwd });
  return {
    kernel: agents.kernel,
    cwd,
    ask: async () =>
      await agents.kernel.api.get<{
        status: string;
        pr?: object;
        reason?: string;
        code?: string;
      }>(`/api/agents/${id}/pr`),
    calls: async () =>
      (await readFile(join(outer, "calls"), "utf8").catch(() => ""))
        .split("\n")
        .slice(0, -1),
  };
}

const printing = (answer: unknown) =>
  `cat <<'END'\n${JSON.stringify(answer)}\nEND`;

describe("the pull request of a branch", () => {
  test("comes from gh, outside of the repository, and is asked for once a minute", async () => {
    const { kernel, ask, calls, cwd } = await startWith(printing([ANSWER]));
    await using _ = kernel;
    const { body } = await ask();
    expect(body).toEqual({
      status: "ok",
      pr: {
        number: 7,
        title: "Add it",
        url: "https://github.com/ann/it/pull/7",
        state: "open",
        base: "main",
        head: "topic",
        review: "approved",
        mergeable: true,
        checks: "pending",
        updatedAt: "2026-03-01T00:00:00Z",
      },
    });
    await ask();
    const [call, ...others] = await calls();
    expect(others).toEqual([]);
    expect(call).toContain("--repo=github.com/ann/it --head=topic");
    expect(call?.startsWith(cwd)).toBe(false);
    await kernel.clock.advance(60_001);
    await ask();
    expect(await calls()).toHaveLength(2);
  });

  test.each([
    ["none", printing([]), { status: "none" }],
    [
      "not logged in",
      "echo 'To get started, please run: gh auth login' >&2; exit 4",
      {
        status: "blocked",
        reason: expect.stringContaining("gh auth login") as string,
      },
    ],
    [
      "not to be seen",
      "echo 'GraphQL: Could not resolve to a Repository' >&2; exit 1",
      { status: "blocked" },
    ],
  ])("%s", async (_, script, expected) => {
    const { kernel, ask } = await startWith(script);
    await using _kernel = kernel;
    expect((await ask()).body).toMatchObject(expected);
  });

  test.each([
    ["nonsense", "echo nonsense"],
    ["a fault", "echo /secret/path >&2; exit 1"],
  ])(
    "%s is a fault of gh, of which nothing gets out, and is not kept",
    async (_, script) => {
      const { kernel, ask, calls } = await startWith(script);
      await using _kernel = kernel;
      const { status, body } = await ask();
      expect([status, body.code]).toEqual([502, "TOOL_FAILED"]);
      expect(JSON.stringify(body)).not.toContain("secret");
      await ask();
      expect(await calls()).toHaveLength(2);
    },
  );

  test(
    "there is none without gh, a remote, a branch, or where the remote is not on GitHub",
    { tags: "thorough" },
    async () => {
      const { kernel, ask, calls, cwd } = await startWith(
        printing([ANSWER]),
        "https://evil.example/ann/it",
      );
      await using _ = kernel;
      expect((await ask()).body.status).toBe("blocked");
      expect(await calls()).toEqual([]);
      await plainGit(cwd, "switch", "-q", "--detach");
      expect((await ask()).body).toEqual({ status: "none" });
      await plainGit(cwd, "switch", "-q", "topic");
      await plainGit(cwd, "remote", "remove", "origin");
      expect((await ask()).body).toEqual({ status: "none" });
      await plainGit(
        cwd,
        "remote",
        "add",
        "origin",
        "https://github.com/ann/it",
      );
      vi.stubEnv(
        "PATH",
        process.env["PATH"]?.split(delimiter).slice(1).join(delimiter),
      );
      expect(await ask()).toMatchObject({
        status: 503,
        body: { code: "AGENT_TOOL_MISSING" },
      });
    },
  );
});

describe("of several with the name of the branch", () => {
  const by = (login: string | null, more: object) => ({
    ...ANSWER,
    isCrossRepository: login !== "ann",
    headRepositoryOwner: login === null ? null : { login },
    ...more,
  });
  const at = (updatedAt: string) => ({ updatedAt: `${updatedAt}T00:00:00Z` });

  test.each<[string, object[], number | undefined]>([
    ["none of a stranger's", [by("eve", {})], undefined],
    ["none of a repository that is gone", [by(null, {})], undefined],
    ["none of another branch", [by("ann", { headRefName: "t" })], undefined],
    ["ours, however the owner is written", [by("ANN", {})], 7],
    [
      "the open one",
      [
        by("ann", { number: 1, state: "CLOSED", ...at("2026-05-01") }),
        by("ann", { number: 2, ...at("2026-01-01") }),
        by("ann", { number: 3, state: "MERGED", ...at("2026-04-01") }),
      ],
      2,
    ],
    [
      "else the one that changed last",
      [
        by("ann", { number: 1, state: "CLOSED", ...at("2026-01-01") }),
        by("ann", { number: 2, state: "MERGED", ...at("2026-04-01") }),
      ],
      2,
    ],
  ])("%s", (_, answers, number) => {
    const branch = { owner: "ann", branch: "topic" };
    const all = ghPullRequests.parse(answers);
    const place = "github.com/ann/it";
    expect(pickPullRequest(all, place, branch)?.number).toBe(number);
  });
});

test(
  "it is looked for where the branch is pushed to, and in the repository that was forked",
  { tags: "thorough" },
  async () => {
    const theirs = { ...ANSWER, headRepositoryOwner: { login: "me" } };
    const { kernel, ask, calls, cwd } = await startWith(printing([theirs]));
    await using _ = kernel;
    // Of `me` there is none in the repository of `ann` alone.
    expect((await ask()).body.status).toBe("none");
    const set = (key: string, value: string) =>
      plainGit(cwd, "config", key, value);
    const repositories = async () =>
      (await calls()).map((call) => / --repo=\S+ --head=\S+/.exec(call)?.[0]);
    await set("branch.topic.remote", "https://github.com/me/it.git");
    await set("branch.topic.merge", "refs/heads/named");
    await ask();
    expect((await repositories()).slice(1)).toEqual([
      " --repo=github.com/me/it --head=named",
      " --repo=github.com/ann/it --head=named",
    ]);
    await set("remote.fork.url", "git@github.com:me/it.git");
    await set("remote.pushDefault", "fork");
    await set("branch.topic.remote", "origin");
    await set("branch.topic.merge", "refs/heads/main");
    expect((await ask()).body).toMatchObject({
      status: "ok",
      pr: { number: 7 },
    });
    expect((await repositories()).slice(3)).toEqual([
      " --repo=github.com/me/it --head=topic",
    ]);
    // As `gh pr checkout` leaves it.
    await set("branch.topic.merge", "refs/pull/12/head");
    await ask();
    expect((await calls()).at(-1)).toContain(
      "pr view 12 --repo=github.com/ann/it --json",
    );
  },
);

test.each([
  ["https://github.com/ann/it.git", "github.com/ann/it"],
  ["https://user:pw@github.com/ann/it", "github.com/ann/it"],
  ["git@github.com:ann/it.x.git", "github.com/ann/it.x"],
  ["ssh://git@github.com/ann/it/", "github.com/ann/it"],
  ["https://acme.ghe.com/ann/it", "acme.ghe.com/ann/it"],
  ["https://evil.example/ann/it", undefined],
  ["https://github.com.evil.example/ann/it", undefined],
  ["https://evil.example/github.com/ann/it", undefined],
  ["https://github.com/-x/--y", undefined],
  ["ext::sh -c touch", undefined],
  ["file:///etc", undefined],
  ["git@github.com:../it", undefined],
])("%s → %s", (remote, place) => {
  expect(toPlace(remote)).toBe(place);
});
