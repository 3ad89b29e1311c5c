import { afterEach, describe, expect, test, vi } from "vitest";
import { toPlace } from "../../src/pull-requests/place.ts";
import {
  ghPullRequests,
  pickPullRequest,
} from "../../src/pull-requests/pull-request.ts";
import { plainGit } from "../help/plain-git.ts";
import { ANSWER, printing, startWithGh } from "../help/stand-in-gh.ts";

afterEach(() => vi.unstubAllEnvs());

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

test(
  "it is looked for where the branch is pushed to, and in the repository that was forked",
  { tags: "thorough" },
  async () => {
    const theirs = { ...ANSWER, headRepositoryOwner: { login: "me" } };
    const { kernel, get, calls, cwd } = await startWithGh(printing([theirs]));
    await using _ = kernel;
    // Of `me` there is none in the repository of `ann` alone.
    expect((await get()).body.status).toBe("none");
    const set = (key: string, value: string) =>
      plainGit(cwd, "config", key, value);
    const repositories = async () =>
      (await calls()).map(
        (call) => /\[--repo=\S+ \[--head=\S+/.exec(call)?.[0],
      );
    await set("branch.topic.remote", "https://github.com/me/it.git");
    await set("branch.topic.merge", "refs/heads/named");
    await get();
    expect((await repositories()).slice(1)).toEqual([
      "[--repo=github.com/me/it] [--head=named]",
      "[--repo=github.com/ann/it] [--head=named]",
    ]);
    await set("remote.fork.url", "git@github.com:me/it.git");
    await set("remote.pushDefault", "fork");
    await set("branch.topic.remote", "origin");
    await set("branch.topic.merge", "refs/heads/main");
    expect((await get()).body).toMatchObject({
      status: "ok",
      pr: { number: 7 },
    });
    expect((await repositories()).slice(3)).toEqual([
      "[--repo=github.com/me/it] [--head=topic]",
    ]);
    // As `gh pr checkout` leaves it.
    await set("branch.topic.merge", "refs/pull/12/head");
    await get();
    expect((await calls()).at(-1)).toContain(
      "[pr] [view] [12] [--repo=github.com/ann/it] [--json",
    );
  },
);
