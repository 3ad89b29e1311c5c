import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, realpath } from "node:fs/promises";
import { delimiter, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { commandOnlyReads } from "../../src/reading/reading-commands.ts";
import { writeFiles } from "../help/plain-git.ts";
import { temporaryFolder } from "../help/temporary.ts";

/** A folder that has each program do more than it was asked for, as far as its files can. */
async function createProject() {
  const place = await temporaryFolder();
  const folder = join(place, "project");
  const home = join(place, "home");
  const canary = join(place, "canary");
  await mkdir(home);
  const script = `#!/bin/sh\necho "$0" >> ${canary}\necho "x 1.0.0 (0 2020-01-01)"\n`;
  const toolchain = join(place, "toolchain");
  await writeFiles(folder, {
    "a.txt": "one\ntwo\n",
    "b.txt": "two\n",
    "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\n',
    "src/main.rs": "fn main() {}\n",
    "rust-toolchain.toml": `[toolchain]\npath = "${toolchain}"\n`,
    "package.json": JSON.stringify({
      name: "x",
      version: "1.0.0",
      packageManager: "pnpm@9.0.0",
      scripts: { prepare: `touch ${canary}` },
    }),
    ".npmrc": "cache=./written\nlogs-dir=./written\n",
    ".pnpmfile.cjs": `require("fs").writeFileSync("${canary}", "")`,
    Makefile: `$(shell touch ${canary})\nall:\n`,
    "sitecustomize.py": `open("${canary}", "w")\n`,
    "site.py": `open("${canary}", "w")\n`,
    ".mvn/jvm.config": `-Xlog:all:file=${canary}`,
    "pom.xml": "<project/>",
    "go.mod": "module x\n\ngo 1.99.0\n",
  });
  await writeFiles(toolchain, {
    "bin/cargo": script,
    "bin/rustc": script,
    "lib/x": "",
  });
  for (const name of ["cargo", "rustc"])
    await chmod(join(toolchain, "bin", name), 0o755);
  const snapshot = async () => ({
    ...(await digestsOf(folder)),
    ...(await digestsOf(home)),
    canary: existsSync(canary) ? await readFile(canary, "utf8") : "",
  });
  return { folder, home, snapshot };
}

async function digestsOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, {
    recursive: true,
    withFileTypes: true,
  });
  const digests = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const content = entry.isFile() ? await readFile(path) : "";
    const digest = createHash("sha256").update(content).digest("hex");
    return [relative(folder, path), digest] as const;
  });
  return Object.fromEntries(await Promise.all(digests));
}

function runLine(line: string, cwd: string, home: string): Promise<void> {
  const { PATH } = process.env;
  return new Promise((resolve) => {
    const env = {
      PATH,
      HOME: home,
      // The toolchains of this machine, which are in another home.
      RUSTUP_HOME:
        process.env["RUSTUP_HOME"] ?? `${process.env["HOME"]}/.rustup`,
      npm_config_registry: "http://127.0.0.1:9",
    };
    const child = execFile("/bin/sh", ["-c", line], { cwd, env }, () =>
      resolve(),
    );
    child.stdin?.end();
  });
}

/** The file that a name stands for; `undefined` if it is not installed. */
function findProgram(program: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));
}

/** Lines that only read, one for each program and way of calling it. Those for git have a test of their own. */
const READING = [
  "cat a.txt b.txt; head -1 a.txt; tail -1 a.txt; tac a.txt; nl a.txt",
  "cmp a.txt b.txt; comm a.txt b.txt; diff a.txt b.txt",
  "cut -c1 a.txt; wc a.txt; stat a.txt; du .; df .; ls -la",
  "grep -r one .; egrep one a.txt; fgrep one a.txt",
  "md5sum a.txt; sha1sum a.txt; sha256sum a.txt",
  "basename a/b; dirname a/b; readlink a.txt; realpath a.txt; pwd; cd src",
  "echo x; true; false; id; whoami; uname -a; nproc; which ls",
  "find . -name '*.txt' -printf '%p' -mtime -1",
  "sort -u a.txt; sort -k1,1 a.txt | uniq -c",
  "sed -n '1,2p' a.txt; date -u +%F; date -d yesterday",
  "tree -L 2; file a.txt; command -v ls; rg one",
  "make --version; gcc --version; docker --version",
];

/**
 * Lines that are not classed as reading although they look like it, and what they do. Where the program is installed, the
 * test runs the line and expects just that.
 */
const NOT_READING: readonly (readonly [line: string, does: string])[] = [
  ["cargo --version", "runs the toolchain that the folder names (rustup)"],
  ["rustc --version", "runs the toolchain that the folder names (rustup)"],
  ["npm ls", "writes logs and a cache where the folder says"],
  ["npm outdated", "writes logs and a cache where the folder says"],
  ["npm audit", "writes logs and a cache where the folder says"],
  ["mvn --version", "starts Java with options from the folder"],
];

/** Not installed everywhere, or only with a shim: what the documentation of each says. */
const BY_REASON: readonly (readonly [line: string, reason: string])[] = [
  ["cargo tree", "writes Cargo.lock if it is missing or does not fit"],
  ["cargo tree --locked", "runs the toolchain that the folder names (rustup)"],
  ["cargo metadata", "writes Cargo.lock, fetches"],
  ["cargo update --dry-run", "fetches, runs the toolchain of the folder"],
  ["pnpm ls", "runs .pnpmfile.cjs, and the pnpm that package.json names"],
  ["pnpm outdated", "runs .pnpmfile.cjs, and the pnpm that package.json names"],
  ["pnpm --version", "runs the pnpm that package.json names"],
  ["yarn --version", "runs the file that .yarnrc.yml names"],
  ["yarn list", "runs the file that .yarnrc.yml names"],
  ["bun pm ls", "reads bunfig.toml of the folder"],
  ["npm view x", "fetches, writes logs and a cache where the folder says"],
  ["npx x", "installs and runs"],
  ["node --version", "a shim of Volta installs what package.json pins"],
  ["python --version", "a shim of asdf runs the path in .tool-versions"],
  ["pip list", "a shim of pyenv runs what .python-version names"],
  ["pip list --outdated", "fetches and writes a cache"],
  ["uv pip list", "may install a Python, runs one of the folder's .venv"],
  ["poetry show", "runs plugins and the Python of the folder's .venv"],
  ["pip-audit", "installs into an environment of its own"],
  ["go version", "installs and runs the toolchain that go.mod names"],
  ["go list -m -u all", "installs a toolchain, fetches, writes go.sum"],
  ["go list ./...", "installs and runs the toolchain that go.mod names"],
  ["go mod graph", "installs a toolchain, fetches"],
  ["go env", "installs a toolchain; -w writes"],
  ["go vet ./...", "runs compilers, writes a cache"],
  ["mvn dependency:tree", "runs the plugins and extensions of pom.xml"],
  ["gradle dependencies", "runs build.gradle"],
  ["gradle --version", "reads gradle.properties, which may name a Java"],
  ["./gradlew tasks", "runs a file of the folder"],
  ["bundle list", "runs the Gemfile"],
  ["bundle outdated", "runs the Gemfile"],
  ["gem list", "a shim of rbenv or asdf, plugins"],
  ["composer show", "runs the plugins of composer.json"],
  ["dotnet --version", "runs the SDK that global.json names"],
  ["java -version", "a shim of jenv or asdf"],
  ["make -n", "runs $(shell) and recipes with +"],
  ["cmake --version", "a shim of asdf"],
  ["perl --version", "a shim of plenv or asdf"],
  ["ruby --version", "a shim of rbenv or asdf"],
  ["php --version", "a shim of phpenv or asdf"],
  ["docker ps", "talks to a daemon"],
  ["gh pr list", "runs git in the folder"],
];

describe("in a folder whose files would have each program do more", () => {
  test.each(READING)("only reads: %s", async (line) => {
    expect(commandOnlyReads(line)).toBe(true);
    const { folder, home, snapshot } = await createProject();
    const before = await snapshot();
    await runLine(line, folder, home);
    expect(await snapshot()).toEqual(before);
  });

  test.each(NOT_READING)(
    "%s is not classed as reading: it %s",
    async (line) => {
      expect(commandOnlyReads(line)).toBe(false);
      if (!(await canRun(line.split(" ")[0]!))) return;
      const { folder, home, snapshot } = await createProject();
      const before = await snapshot();
      await runLine(line, folder, home);
      expect(await snapshot()).not.toEqual(before);
    },
  );

  // Behind it may be a rustup without any toolchain.
  test.runIf(spawnSync("cargo", ["--version"]).status === 0)(
    "cargo tree is not classed as reading: it writes a lock file",
    async () => {
      expect(commandOnlyReads("cargo tree --offline")).toBe(false);
      const { folder, home } = await createProject();
      const here = join(folder, "rust-toolchain.toml");
      await runLine(`mv ${here} ${home}; cargo tree --offline`, folder, home);
      expect(await readdir(folder)).toContain("Cargo.lock");
    },
  );
});

/** Whether the line can be tried here: Rust's programs read the folder's file only if rustup is behind them. */
async function canRun(program: string): Promise<boolean> {
  const file = findProgram(program);
  if (file === undefined) return false;
  const isRust = program === "cargo" || program === "rustc";
  return !isRust || (await realpath(file)).endsWith("rustup");
}

test.each(BY_REASON)("%s is not classed as reading: %s", (line) =>
  expect(commandOnlyReads(line)).toBe(false),
);
