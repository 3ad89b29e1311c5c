import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createGit, type Git } from "@gantry/git-kit";
import { definePlugin, type Clock } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import { expect, onTestFinished, test } from "vitest";
import { RepositoryMarks } from "../../src/repository/repository-marks.ts";
import { readStatus } from "../../src/repository/status.ts";
import { createRepository } from "../help/plain-git.ts";
import { RepositoryView } from "../help/repository-view.ts";
import { temporaryFolder } from "../help/temporary.ts";

test("a repository that takes long is looked at more seldom, and its mark is never older than a status that was told", async () => {
  const folder = await createRepository(join(await temporaryFolder(), "work"), {
    a: "1\n",
  });
  let git: Git | undefined;
  const taker = definePlugin({
    id: "taker",
    api: 1,
    summary: "Gives what reads repositories",
    mounts: [],
    setup: ({ run, home }) =>
      void (git = createGit({ run, cache: join(home, "cache", "git") })),
  });
  const kernel = await startTestKernel([taker]);
  onTestFinished(() => kernel.stop());
  let now = 0;
  const slowly = new Proxy(git!, {
    apply(run, _this, given: Parameters<Git>) {
      now += 3_000;
      return run(...given);
    },
  });
  const clock = { monotonic: () => now } as Clock;
  const marks = new RepositoryMarks({ git: slowly, clock });
  const isDirty = async () => (await marks.of(folder)).dirty;
  expect(await isDirty()).toBe(false);
  await writeFile(join(folder, "a"), "22\n");
  expect(await isDirty()).toBe(false);
  marks.renew(folder, await readStatus(git!, folder));
  expect(await isDirty()).toBe(true);
  await writeFile(join(folder, "a"), "1\n");
  now += 100_000;
  expect(await isDirty()).toBe(false);
});

test("a status has the mark that is polled until something changes", async () => {
  const cwd = await createRepository(join(await temporaryFolder(), "work"), {
    a: "1\n",
  });
  await using view = await RepositoryView.open(cwd);
  type Marked = { mark: { key: string; token: string } };
  const polled = async () => {
    const { body } = await view.get<Marked["mark"]>("git/head");
    return { key: body.key, token: body.token };
  };
  const clean = (await view.get<Marked>("gitstatus")).body.mark;
  expect(await polled()).toEqual(clean);
  await writeFile(join(cwd, "a"), "2\n");
  const { key, token } = await polled();
  expect(key).toBe(clean.key);
  expect(token).not.toBe(clean.token);
  const { mark } = (await view.get<Marked>("gitstatus")).body;
  expect(mark).toEqual({ key, token });
});
