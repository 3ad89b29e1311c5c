import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { plainGit } from "../help/plain-git.ts";
import { ANSWER, printing, startPushed } from "../help/stand-in-gh.ts";

afterEach(() => vi.unstubAllEnvs());

const URL_7 = "https://github.com/ann/it/pull/7";

describe("a pull request is opened", () => {
  test("by gh, with each value in a word with its option, and that is in the audit log", async () => {
    const { kernel, open, created, audited, input, id } = await startPushed(
      `printf '\\n${URL_7}\\n'`,
    );
    await using _ = kernel;
    const { status, body } = await open({
      title: "--web; it's $(here)",
      body: "--fill\r\n\n- `one`\n",
      draft: true,
      base: "release/2",
    });
    expect([status, body.url, body.number]).toEqual([200, URL_7, 7]);
    expect(await created()).toEqual([
      "[pr] [create] [--repo=github.com/ann/it] [--head=topic] [--base=release/2] [--title=--web; it's $(here)] [--draft] [--body-file=-]",
    ]);
    expect(await input()).toBe("--fill\n\n- `one`\n");
    expect(audited()).toMatchObject([
      { by: "agents", details: { agentId: id, url: URL_7 } },
    ]);
  });

  test(
    "without a draft into the default branch; a shell takes the command as it is meant",
    { tags: "thorough" },
    async () => {
      const { kernel, open, created, calls } = await startPushed(
        `echo ${URL_7}`,
      );
      await using _ = kernel;
      const { body } = await open({ title: "It's done", body: "a\n'b' $c" });
      const [call, ...others] = await created();
      expect(others).toEqual([]);
      const words =
        "[pr] [create] [--repo=github.com/ann/it] [--head=topic] [--base=main] [--title=It's done]";
      expect(call).toBe(`${words} [--body-file=-]`);
      await promisify(execFile)("sh", ["-c", `${body.command} < /dev/null`]);
      expect((await calls()).slice(-2).join("\n")).toContain(
        `${words} [--body=a\n'b' $c]`,
      );
    },
  );

  test(
    "from a fork, with the owner before the branch as it is called there",
    { tags: "thorough" },
    async () => {
      const { kernel, open, created, cwd } = await startPushed(
        "echo https://github.com/ann/it/pull/8",
      );
      await using _ = kernel;
      const set = (key: string, value: string) =>
        plainGit(cwd, "config", key, value);
      await set("branch.topic.remote", "https://github.com/me/it.git");
      await set("branch.topic.merge", "refs/heads/named");
      expect((await open({ title: "Add it" })).body.number).toBe(8);
      expect((await created())[0]).toContain(
        "[--repo=github.com/ann/it] [--head=me:named] [--base=main]",
      );
    },
  );

  test(
    "of a branch whose name looks like an option",
    { tags: "thorough" },
    async () => {
      const { kernel, open, created } = await startPushed(`echo ${URL_7}`, {
        branch: "--web",
      });
      await using _ = kernel;
      const { body } = await open({ title: "Add it" });
      expect(body.command).toContain(" --head=--web ");
      expect((await created())[0]).toContain("[--head=--web]");
    },
  );

  test("and is seen at once", async () => {
    const { kernel, open, get } = await startPushed(
      `touch "$0.opened"; echo ${URL_7}`,
      {
        list: `if [ -e "$0.opened" ]; then ${printing([ANSWER])}\nelse echo '[]'; fi`,
      },
    );
    await using _ = kernel;
    expect((await get()).body).toMatchObject({ status: "none" });
    await open({ title: "Add it" });
    expect((await get()).body).toMatchObject({
      status: "ok",
      pr: { number: 7 },
    });
  });
});
