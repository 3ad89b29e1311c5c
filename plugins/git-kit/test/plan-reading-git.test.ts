import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planReadingGit } from "../src/plan-reading-git.ts";

const plan = (line: string) => planReadingGit(line.split(" "));

describe("a call that only reads", () => {
  test.each([
    [
      "log",
      "log --no-ext-diff --no-textconv --ignore-submodules=dirty --submodule=short --no-show-signature",
    ],
    [
      "diff -- a b",
      "diff --no-ext-diff --no-textconv --ignore-submodules=dirty --submodule=short -- a b",
    ],
    [
      "diff-files -p",
      "diff-files --no-ext-diff --no-textconv --ignore-submodules=dirty --submodule=short -p",
    ],
    ["blame a", "blame --no-textconv a"],
    ["status -s", "status --ignore-submodules=dirty -s"],
    ["--no-pager --no-optional-locks ls-files -z", "ls-files -z"],
    ["--version", "--version"],
    ["worktree list", "worktree list"],
    ["stash show -p", "stash show -p"],
  ])("%s is run as %s", (line, args) => {
    expect(plan(line)).toEqual({ folders: [], args: args.split(" ") });
  });

  test("keeps the folders that it names, in their order", () => {
    expect(plan("-C a --no-pager -C ../b rev-parse HEAD")).toEqual({
      folders: ["a", "../b"],
      args: ["rev-parse", "HEAD"],
    });
  });

  test.each([
    "diff --text --submodule=short --ignore-submodules=all",
    "log --diff-merges=first-parent --diff-algorithm=patience",
    "diff --output-indicator-new=x",
    "rev-list --filter=blob:none HEAD",
    "grep -n -e x",
    "symbolic-ref --quiet --short HEAD",
    "branch --show-current",
    "tag -l v* -n2",
    "remote",
    "describe --tags --abbrev=0",
  ])("may have options that do no more: %s", (line) =>
    expect(plan(line)).toBeDefined(),
  );
});

describe("a call that does more, or is not known", () => {
  test.each([
    "",
    "-C",
    "-C a",
    "-c core.pager=x log",
    "--git-dir=x log",
    "--work-tree=x status",
    "--namespace=x log",
    "--exec-path=x log",
    "-p log",
    "commit",
    "config --list",
    "submodule status",
    "constructor",
    "__proto__",
    "log --remerge-diff",
    "log --diff-merges=remerge",
    "log --diff-merges=r",
    "log --diff-merges remerge",
    "diff --submodule=diff",
    "diff --submodule",
    "diff --ignore-submodules=none",
    "status --ignore-submodules=untracked",
    "ls-files --recurse-submodules",
    "grep --recurse-submodules x",
    "rev-parse --show-superproject-working-tree",
    "tag -v v1",
    "tag -a -l",
    "count-objects -v",
    "count-objects --verbose",
    "remote show origin",
    "remote update",
    "reflog expire",
    "worktree",
    "worktree prune",
    "stash",
  ])("%s", (line) => expect(plan(line)).toBeUndefined());

  test("an abbreviation of an option that runs or writes something is refused as the option is", () => {
    const option = fc.constantFrom(
      ["log", "--output=x"],
      ["log", "--ext-diff"],
      ["log", "--textconv"],
      ["log", "--show-signature"],
      ["log", "--remerge-diff"],
      ["diff", "--submodule=log"],
      ["diff", "--ignore-submodules=none"],
      ["grep", "--open-files-in-pager=x"],
      ["grep", "--recurse-submodules"],
      ["cat-file", "--filters"],
      ["describe", "--dirty"],
      ["describe", "--broken"],
      ["rev-parse", "--show-superproject-working-tree"],
    );
    fc.assert(
      fc.property(option, fc.nat(40), fc.boolean(), (chosen, cut, last) => {
        const [command = "", given = ""] = chosen;
        const [name = "", value] = given.split("=");
        const short = name.slice(0, Math.max(3, name.length - cut));
        // This one is an option of its own.
        fc.pre(short !== "--text");
        const written = value === undefined ? short : `${short}=${value}`;
        const args = last ? ["HEAD", written] : [written, "HEAD"];
        expect(planReadingGit([command, ...args])).toBeUndefined();
      }),
    );
  });
});
