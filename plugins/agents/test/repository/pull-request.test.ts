import { readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createRepository, plainGit } from "../help/plain-git.ts";
import { ANSWER, printing, startWithGh } from "../help/stand-in-gh.ts";
import { temporaryFolder } from "../help/temporary.ts";

afterEach(() => vi.unstubAllEnvs());

const CHECKS = [
  { status: "COMPLETED", conclusion: "SUCCESS", name: "build" },
  { state: "PENDING", context: "deploy" },
];

describe("the pull request of a branch", () => {
  test("comes from gh, outside of the repository, and is asked for once a minute", async () => {
    const { kernel, get, calls, cwd } = await startWithGh(
      printing([{ ...ANSWER, statusCheckRollup: CHECKS }]),
    );
    await using _ = kernel;
    const { body } = await get();
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
        items: [
          {
            name: "deploy",
            workflowName: null,
            state: "pending",
            url: null,
            hasLog: false,
          },
          {
            name: "build",
            workflowName: null,
            state: "passed",
            url: null,
            hasLog: false,
          },
        ],
        updatedAt: "2026-03-01T00:00:00Z",
      },
    });
    await get();
    const [call, ...others] = await calls();
    expect(others).toEqual([]);
    expect(call).toContain("[--repo=github.com/ann/it] [--head=topic]");
    expect(call?.startsWith(cwd)).toBe(false);
    await kernel.clock.advance(60_001);
    await get();
    expect(await calls()).toHaveLength(2);
  });

  test(
    "comes from a gh that finds no repository around the daemon's home either",
    { tags: "thorough" },
    async () => {
      const around = join(await temporaryFolder(), "around");
      await createRepository(around, { a: "" });
      const found = join(around, "found");
      const { kernel, get } = await startWithGh(
        `git rev-parse --show-toplevel > ${found} 2>&1\n${printing([ANSWER])}`,
        { home: join(around, "home") },
      );
      await using _ = kernel;
      expect((await get()).body).toMatchObject({ status: "ok" });
      expect(await readFile(found, "utf8")).toContain("not a git repository");
    },
  );

  test(
    "is asked for again where it has to be fresh, once in five seconds",
    { tags: "thorough" },
    async () => {
      const { kernel, get, calls } = await startWithGh(printing([ANSWER]));
      await using _ = kernel;
      const countAfter = async (fresh: string) => {
        expect((await get("", { fresh })).status).toBe(200);
        return (await calls()).length;
      };
      expect(await countAfter("false")).toBe(1);
      expect(await countAfter("true")).toBe(1);
      await kernel.clock.advance(5001);
      expect(await countAfter("false")).toBe(1);
      expect(await countAfter("true")).toBe(2);
      expect((await get("", { fresh: "yes" })).status).toBe(400);
    },
  );

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
    const { kernel, get } = await startWithGh(script);
    await using _kernel = kernel;
    expect((await get()).body).toMatchObject(expected);
  });

  test.each([
    ["nonsense", "echo nonsense"],
    ["a fault", "echo /secret/path >&2; exit 1"],
  ])(
    "%s is a fault of gh, of which nothing gets out, and is not kept",
    async (_, script) => {
      const { kernel, get, calls } = await startWithGh(script);
      await using _kernel = kernel;
      const { status, body } = await get();
      expect([status, body.code]).toEqual([502, "TOOL_FAILED"]);
      expect(JSON.stringify(body)).not.toContain("secret");
      await get();
      expect(await calls()).toHaveLength(2);
    },
  );

  test(
    "there is none without gh, a remote, a branch, or where the remote is not on GitHub",
    { tags: "thorough" },
    async () => {
      const { kernel, get, calls, cwd } = await startWithGh(
        printing([ANSWER]),
        { remote: "https://evil.example/ann/it" },
      );
      await using _ = kernel;
      expect((await get()).body.status).toBe("blocked");
      expect(await calls()).toEqual([]);
      await plainGit(cwd, "switch", "-q", "--detach");
      expect((await get()).body).toEqual({ status: "none" });
      await plainGit(cwd, "switch", "-q", "topic");
      await plainGit(cwd, "remote", "remove", "origin");
      expect((await get()).body).toEqual({ status: "none" });
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
      expect(await get()).toMatchObject({
        status: 200,
        body: {
          status: "blocked",
          reason: expect.stringContaining("install it") as string,
        },
      });
    },
  );
});
