import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { onlyReads } from "../../src/reading/only-reads.ts";
import { commandOnlyReads } from "../../src/reading/reading-commands.ts";

const READS = [
  "git status --short --branch",
  'git log --all --since="1 day ago" --stat --format="%h %an %s"',
  "git --no-pager log --oneline -20 | head -5",
  "git -C packages/a diff HEAD~3 -- src",
  "git show HEAD@{1}:README.md 2>/dev/null",
  "git stash list && git stash show -p stash@{0}",
  "git branch -avv; git branch --merged main; git branch --list 'feature/*'",
  "git branch --sort=-committerdate --format='%(refname:short) %(committerdate:relative)'",
  "git for-each-ref --sort=-committerdate refs/heads refs/remotes",
  "git tag --list 'v*' --sort=-v:refname | head -1",
  "git tag -n5",
  "git describe --tags --abbrev=0",
  "git cherry main feature",
  "git rev-list --count main..feature",
  "git symbolic-ref --short refs/remotes/origin/HEAD",
  "git remote -v && git remote get-url origin",
  "git worktree list --porcelain",
  "git grep -n TODO -- ./*.md",
  "git blame -L 10,20 src/main.ts",
  "git diff HEAD~3 -- src/*.ts",
  "git reflog | head",
  "ls -la && cat README.md ./*.json | head -100",
  "pwd; echo ---; wc -l src/*.ts",
  "grep -rn 'foo$' src | sort -k2,2 -rn | uniq -c",
  "rg --pretty -n 'a|b' --glob '*.ts' src",
  "find . -name '*.md' -not -path './node_modules/*' -mtime -7 -maxdepth 3",
  "find . \\( -name a -o -name b \\) -print",
  "sed -n '10,40p' src/main.ts",
  "sed -n '1p;5,+3p' a",
  "date -u +%F && date -d yesterday +%F",
  "tree -L 2 -I node_modules",
  "stat -c %Y .git/FETCH_HEAD",
  "make --version && gcc --version && docker --version",
  "command -v cargo",
  "# what is here\nls",
];

const DOES_MORE = [
  // Another command in the line.
  "git log; rm -rf x",
  "git log && git push",
  "git log || touch x",
  "git log | sh",
  "git log | tee x",
  "git log\nrm x",
  "git log & rm x",
  "git log $(rm x)",
  'git log "$(rm x)"',
  "git log `rm x`",
  "git log > x",
  "git log >>x",
  "git log 2>x",
  "git log >/dev/null2",
  "cat < x > y",
  "echo x | bash",
  "echo x | python --version -c x",
  "eval git log",
  "! rm x",
  "{ rm x; }",
  "(rm x)",
  "if true; then rm x; fi",
  "for x in a; do rm x; done",
  "rm() { ls; }",
  // In front of it.
  "GIT_EXTERNAL_DIFF=./x git diff",
  "A=b ls",
  "env git log",
  "env ls",
  "sudo ls",
  "time rm x",
  "exec rm x",
  "command rm x",
  "nohup ls",
  "xargs rm",
  "ls | xargs rm",
  "./git log",
  "/tmp/git log",
  "alias ls=rm",
  "export PATH=x",
  ". ./x",
  "source x",
  "set -e",
  "printf -v PATH x",
  // git itself.
  "git",
  "git -c core.pager='rm x' log",
  "git -c alias.log='!rm x' log",
  "git --config-env=core.pager=X log",
  "git --exec-path=. log",
  "git --git-dir=x log",
  "git -p log",
  "git --paginate log",
  "git log --output=x",
  "git log --outpu=x",
  "git log --o x",
  "git diff --output x",
  "git diff --ext-diff",
  "git diff --ext",
  "git log -p --textconv",
  "git grep -O x",
  "git grep -Otouch x",
  "git grep -nO x",
  "git grep --open-files-in-pager=touch x",
  "git grep --open x",
  "git cat-file --filters HEAD:a",
  "git describe --dirty",
  "git log --show-signature",
  "git log --remerge-diff",
  "git log --diff-merges=remerge",
  "git diff --submodule=diff",
  "git diff --ignore-submodules=none",
  "git ls-files --recurse-submodules",
  "git rev-parse --show-superproject-working-tree",
  ..."add am apply archive bisect bundle checkout cherry-pick clean clone commit config fetch filter-branch fsck gc init ls-remote merge mv notes pull push rebase replace reset restore revert rm submodule switch update-index update-ref"
    .split(" ")
    .map((command) => `git ${command} x`),
  "git branch x",
  "git branch -v x",
  "git branch -a x",
  "git branch -D x",
  "git branch --delete x",
  "git branch -m x y",
  "git branch --format --list x",
  "git branch --sort --list x",
  "git branch -f x HEAD --merged main",
  "git branch --set-upstream-to=x --list",
  "git branch --edit-description --list",
  "git tag x",
  "git tag -d x",
  "git tag -f x --list",
  "git tag -n x",
  "git tag -m x -l y",
  "git stash",
  "git stash push",
  "git stash drop",
  "git stash pop",
  "git worktree add ../x",
  "git worktree prune",
  "git remote add x y",
  "git remote prune origin",
  "git remote show origin",
  "git reflog expire --all",
  "git reflog delete HEAD@{0}",
  "git symbolic-ref HEAD refs/heads/x",
  "git symbolic-ref -d HEAD",
  "git symbolic-ref HEAD*",
  "git bran*",
  // Programs that mostly read.
  "find . -delete",
  "find . -name x -exec rm {} \\;",
  "find . -execdir rm x \\;",
  "find . -ok rm x \\;",
  "find . -fprint x",
  "find . -fprintf x %p",
  "find . -fls x",
  "sort -o x y",
  "sort -rox y",
  "sort --output=x y",
  "sort --outp x y",
  "sort --compress-program=./x y",
  "sort -to y",
  "sort -T . -S 1 y",
  "uniq a b",
  "sed -i s/a/b/ x",
  "sed s/a/b/w x",
  "sed -n 'w x' y",
  "sed -n '1e rm x' y",
  "sed -n '1p;w x' y",
  "sed -n -i 1p x",
  "sed -n 1p x -i",
  "awk 'BEGIN { system(\"rm x\") }'",
  "rg --pre ./x y",
  "rg --pre=./x y",
  "rg --hostname-bin=./x y",
  "date -s 2020-01-01",
  "date 010203042020",
  "date -d -d -s2020",
  "date -d -s2020",
  "date --set=x",
  "tree -o x",
  "tree -RH . -L 1",
  "file -C -m x",
  "tee x",
  "dd of=x",
  "cp a b",
  "mv a b",
  "ln -s a b",
  "touch x",
  "mkdir x",
  "chmod +x y",
  "truncate -s 0 x",
  "curl https://example.com",
  "wget x",
  "ssh x",
  "kill 1",
  "node --version && npm --version",
  ..."bun cargo go java javac node npm perl php pip pip3 pnpm python python3 ruby rustc"
    .split(" ")
    .map((program) => `${program} --version`),
  "npm outdated --json",
  "npm audit --omit=dev --json",
  "npm ls --depth=0",
  "pip list --outdated --format=json",
  "go list -m -u -json all",
  "go version",
  "cargo tree",
  "cargo update --dry-run",
  "node -e x",
  "python -c x",
  "python -v",
  "python3 x.py",
  "npm install",
  "npm audit fix",
  "npm audit --fix",
  "npm update",
  "npm outdated --prefix=/x",
  "npm ls --script-shell=./x",
  "npm version patch",
  "npm publish",
  "npm test",
  "npx x",
  "pip install x",
  "go get -u",
  "go list -m -versions evil.example/secret",
  "npm view @evil/secret",
  "go list -toolexec=./x all",
  "go env -w A=b",
  "cargo update",
  "cargo update --dry-run --manifest-path=x",
  "gh pr create",
  "docker run x",
  // A file may be called like an option.
  "cat *",
  "ls *.md",
  "git log *",
  "sort ./*",
  "find . -name *.ts",
  "uniq ./*",
  "sed -n 1p ./*",
  "grep -r x [a-z]*",
  "l* x",
  // Nothing at all.
  "",
  "   ",
  "# only this",
  "git log 'x",
];

describe("commands", () => {
  test.each(READS)("only reads: %s", (line) =>
    expect(commandOnlyReads(line)).toBe(true),
  );

  test.each(DOES_MORE)("does more, or is not known: %j", (line) =>
    expect(commandOnlyReads(line)).toBe(false),
  );

  const reading = fc.constantFrom(...READS);
  const more = fc.constantFrom(...DOES_MORE.filter((line) => /\w/.test(line)));
  const joint = fc.constantFrom(";", " ; ", "&&", " || ", " | ", "\n", "\n\n");

  test("a command that does more is found among any others", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(reading, joint), { maxLength: 3 }),
        more.filter((line) => !line.startsWith("#")),
        fc.array(fc.tuple(joint, reading), { maxLength: 3 }),
        (before, bad, after) => {
          const line = [...before.flat(), bad, ...after.flat()].join("");
          expect(commandOnlyReads(line)).toBe(false);
        },
      ),
    );
  });

  test("what only reads does so in lists and pipes too", () => {
    fc.assert(
      fc.property(
        reading.filter((line) => !line.startsWith("#")),
        fc.array(fc.tuple(joint, reading), { maxLength: 3 }),
        (first, others) => {
          const line = [first, ...others.flat()].join("");
          expect(commandOnlyReads(line)).toBe(true);
        },
      ),
    );
  });

  test("everything after a reading command outside of quotes is checked", () => {
    const tail = fc.constantFrom(
      "; x",
      "| x",
      "& x",
      "&& x",
      "|| x",
      "\nx",
      "> x",
      ">x",
      "2>x",
      "$(x)",
      "`x`",
      "<(x)",
      "${x}",
      "$x",
    );
    fc.assert(
      fc.property(reading, tail, (line, more) => {
        expect(commandOnlyReads(`${line} ${more}`)).toBe(false);
      }),
    );
  });

  test("an option that writes a file or runs a program is refused for every reading command", () => {
    const option = fc.constantFrom(
      "--output=x",
      "--output",
      "--ext-diff",
      "-exec",
      "-delete",
      "--pre=x",
      "--compress-program=x",
      "-i",
      "--open-files-in-pager",
    );
    const prefix = fc.constantFrom(
      ...["git log", "git show", "git diff", "git grep", "git blame"],
      ...["git shortlog", "git branch --list", "git stash show"],
      ...["find .", "sort", "uniq", "sed -n 1p", "tree", "date"],
    );
    const harmless =
      /^(git (?!branch)[^-]*|git stash show) -(exec|delete|i)$|^git .*--(pre=x|compress-program=x)$|^(uniq|sort) -i$/;
    fc.assert(
      fc.property(prefix, option, (command, given) => {
        const line = `${command} ${given}`;
        // git itself has no such option.
        fc.pre(!harmless.test(line));
        expect(commandOnlyReads(line)).toBe(false);
      }),
    );
  });
});

describe("tools", () => {
  const of = (name: string, input: unknown) =>
    onlyReads({ name, input: JSON.stringify(input) });

  test("that read files only read, and shells depend on their command", () => {
    expect(of("Read", { file_path: "/x" })).toBe(true);
    expect(of("grep", { pattern: "x" })).toBe(true);
    expect(of("Bash", { command: "git log", description: "x" })).toBe(true);
    expect(of("bash", { command: "git log", timeout: 5 })).toBe(true);
    expect(of("shell", { command: "git push" })).toBe(false);
  });

  test("others do not, whatever their names", () => {
    for (const name of ["Write", "edit", "read_and_delete", "mcp__x__read", ""])
      expect(of(name, { command: "git log" })).toBe(false);
    // A list of words may not be a command line, and other fields may change what the command does.
    expect(
      of("shell", { command: ["git", "log", "'", "--output=x", "'"] }),
    ).toBe(false);
    expect(of("Bash", { command: "ls", dangerouslyDisableSandbox: true })).toBe(
      false,
    );
    expect(of("Bash", { command: "ls", run_in_background: true })).toBe(false);
    expect(onlyReads({ name: "bash", input: "git log" })).toBe(false);
    expect(onlyReads({ name: "bash", input: "" })).toBe(false);
  });
});
