import { afterEach, describe, expect, test, vi } from "vitest";
import { plainGit } from "../help/plain-git.ts";
import { doing, startPushed } from "../help/stand-in-gh.ts";

afterEach(() => vi.unstubAllEnvs());

const URL_7 = "https://github.com/ann/it/pull/7";

describe("a pull request is not opened", () => {
  test("for the reasons of GitHub and gh", async () => {
    const { kernel, open, audited, become } = await startPushed("exit 1");
    await using _ = kernel;
    const exists =
      'a pull request for branch "topic" into branch "main" already exists:';
    const reasons = [
      [
        `${exists}\\n${URL_7}`,
        `a pull request of this branch already: ${URL_7}`,
      ],
      [
        `${exists}\\nhttps://evil.example/ann/it/pull/7`,
        "a pull request of this branch already.",
      ],
      ["To get started, please run: gh auth login", "gh is not logged in"],
      ["GraphQL: Could not resolve to a Repository", "does not show"],
      [
        "pull request create failed: GraphQL: No commits between \\033[31mmain and topic (createPullRequest)",
        "GitHub says: No commits between ⟨U+001B⟩[31mmain and topic.",
      ],
    ];
    for (const [said, reason] of reasons) {
      await become(doing({ create: `printf '${said}\\n' >&2; exit 1` }));
      const { status, body } = await open({ title: "Add it" });
      expect([status, body.code]).toEqual([409, "PULL_REQUEST_REFUSED"]);
      expect(body.detail).toContain(reason);
    }
    expect(audited()).toEqual([]);
  });

  test("as long as there can be none", { tags: "thorough" }, async () => {
    const { kernel, open, created, commit, cwd } = await startPushed("echo no");
    await using _ = kernel;
    const refused = async (base?: string) => {
      const { status, body } = await open({
        title: "Add it",
        ...(base ? { base } : {}),
      });
      expect([status, body.code]).toEqual([409, "PULL_REQUEST_REFUSED"]);
      return body.detail;
    };
    expect(await refused("topic")).toContain("into topic itself");
    await commit("Two");
    expect(await refused()).toContain("push it first");
    await plainGit(cwd, "switch", "-q", "main");
    expect(await refused()).toContain("make another branch");
    expect(await created()).toEqual([]);
  });

  test(
    "as far as is known if gh answers anything else, of which nothing gets out",
    { tags: "thorough" },
    async () => {
      const { kernel, open, audited, become } = await startPushed("exit 1");
      await using _ = kernel;
      for (const create of [
        "echo /secret/path >&2; exit 1",
        "echo /secret/path",
        "echo javascript:alert/secret/pull/7",
        "echo https://evil.example/secret/it/pull/7",
        "echo https://github.com/secret/it/pull/7",
        "echo https://secret@github.com/ann/it/pull/7",
        "echo http://github.com/ann/it/pull/7?secret",
        "echo https://github.com/ann/it/issues/7?secret",
      ]) {
        await become(doing({ create }));
        const { status, body } = await open({ title: "Add it" });
        expect([status, body.code, create]).toEqual([
          502,
          "TOOL_FAILED",
          create,
        ]);
        expect(JSON.stringify(body)).not.toContain("secret");
      }
      expect(audited()).toEqual([]);
    },
  );

  test(
    "and is looked for again, since it may be there all the same",
    { tags: "thorough" },
    async () => {
      const { kernel, get, open, calls } = await startPushed("exit 1");
      await using _ = kernel;
      const countAfterGet = async () => {
        await get();
        return (await calls()).filter((call) => call.includes("[list]")).length;
      };
      expect(await countAfterGet()).toBe(1);
      expect((await open({ title: "Add it" })).status).toBe(502);
      expect(await countAfterGet()).toBe(2);
    },
  );

  test("with what GitHub would not take, or a shell not as it is", async () => {
    const { kernel, open, created } = await startPushed(`echo ${URL_7}`);
    await using _ = kernel;
    const title = "Add it";
    for (const body of [
      {},
      { title: "" },
      { title: " " },
      { title: 7 },
      { title: "a".repeat(257) },
      { title: "a\nb" },
      { title: "a\tb" },
      { title: "a\u001b[31m" },
      { title: "a\u202eb" },
      { title: "a\ud800" },
      { title, body: "a\u0000" },
      { title, body: "a\rb" },
      { title, body: "ä".repeat(30_001) },
      { title, base: "" },
      { title, base: "--web" },
      { title, base: "a b" },
      { title, base: "a..b" },
      { title, base: "a\u202eb" },
      { title, draft: "yes" },
      { title, head: "main" },
    ])
      expect([(await open(body)).status, body]).toEqual([400, body]);
    expect(await created()).toEqual([]);
    expect(
      (await open({ title: "a".repeat(256), body: "ä".repeat(30_000) })).status,
    ).toBe(200);
  });
});
