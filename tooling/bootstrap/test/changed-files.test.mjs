import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findChangedFiles } from "../changed-files.mjs";
import { createFolder, write } from "./folder.mjs";

function createRepository() {
  const folder = createFolder();
  const git = (...args) => {
    const settings = ["user.name=a", "user.email=a@b", "commit.gpgsign=false"];
    const options = settings.flatMap((setting) => ["-c", setting]);
    const { status, stderr } = spawnSync("git", [...options, ...args], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(status, stderr).toBe(0);
  };
  const commit = (path) => {
    write(folder, path, `${Math.random()}`);
    git("add", ".");
    git("commit", "-qm", path);
  };
  git("init", "-q", "-b", "main");
  return { folder, git, commit };
}

it("finds what a branch changed, committed or not, and nothing else", () => {
  const { folder, git, commit } = createRepository();
  for (const path of ["a.ts", "gone.ts", "same.ts"]) commit(path);
  git("switch", "-qc", "work");
  for (const path of ["b.ts", "c.ts"]) commit(path);
  write(folder, "a.ts", "changed");
  write(folder, "näw.ts", "new");
  rmSync(join(folder, "gone.ts"));
  expect(findChangedFiles(folder).sort()).toEqual([
    "a.ts",
    "b.ts",
    "c.ts",
    "näw.ts",
  ]);
});

it("finds the last commit's files on the main branch", () => {
  const { folder, commit } = createRepository();
  for (const path of ["a.ts", "b.ts"]) commit(path);
  expect(findChangedFiles(folder)).toEqual(["b.ts"]);
});

it("finds none to compare with in a first commit, and where there is no repository", () => {
  const { folder, commit } = createRepository();
  commit("a.ts");
  expect(findChangedFiles(folder)).toBeUndefined();
  expect(findChangedFiles(createFolder())).toBeUndefined();
});
