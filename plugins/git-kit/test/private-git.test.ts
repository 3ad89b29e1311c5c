import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { createPrivateGit } from "../src/private-git.ts";
import { openRun } from "./support/git.ts";
import { createHostileRepository } from "./support/hostile-repository.ts";

const OPTIONS = "* text eol=crlf ident filter=odd=name diff=odd merge=odd";

test("files of a hostile repository are stored as they are, and none of its programs runs", async () => {
  const { folder, ran } = await createHostileRepository();
  await writeFile(join(folder, ".gitattributes"), `${OPTIONS}\n`);
  await writeFile(join(folder, "a.txt"), "one\ntwo\r\n$Id: x $\n");
  const repository = join(await temporaryFolder(), "own");
  const git = createPrivateGit(await openRun());
  await git.create(repository, "*.long\n");
  const places = { repository, workTree: folder, folder };
  const others = ["-z", "--others", "--exclude-standard"];
  const listed = await git(places, "ls-files", others);
  const paths = listed.stdout.split("\0").filter((path) => path !== "");
  expect(paths).toEqual([".gitattributes", ".gitmodules", "a.txt", "sub/"]);
  const input = paths.slice(0, 3).join("\0");
  const stored = ["-z", "--add", "--stdin"];
  expect(await git(places, "update-index", stored, { input })).toMatchObject({
    code: 0,
    stderr: "",
  });
  const { stdout: tree } = await git(places, "write-tree", []);
  const file = `${tree.trim()}:a.txt`;
  const { stdout } = await git(places, "cat-file", ["blob", file]);
  expect(stdout).toBe(await readFile(join(folder, "a.txt"), "utf8"));
  await writeFile(join(folder, "a.txt"), "other\n");
  const changed = await git(places, "diff-files", ["-z", "--name-only"]);
  expect(changed.stdout).toBe("a.txt\0");
  const scratch = await temporaryFolder();
  const own = { ...places, workTree: scratch, folder: scratch };
  await git(own, "checkout-index", ["--all"]);
  expect(await readFile(join(scratch, "a.txt"), "utf8")).toBe(stdout);
  for (const args of [["repack", "-a", "-d", "-n"], ["prune"]] as const)
    expect((await git(places, args[0], args.slice(1))).code).toBe(0);
  expect(await ran()).toEqual([]);
  expect(await readdir(join(folder, ".git"))).not.toContain("index.lock");
});
