import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { rootFolder } from "../shell.mjs";

/** Pages and what is tested of them, which the kit and the shell check, and templates of what does not exist yet. */
const ELSEWHERE =
  /^ui\/|^(plugins|e2e\/fixtures)\/[^/]+\/(ui|test\/ui)\/|\/template\//;

function run(command, args) {
  const { stdout, stderr, status } = spawnSync(command, args, {
    cwd: rootFolder,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  expect(status, stderr).toBe(0);
  return stdout.trim().split("\n");
}

/** The files of one of the two programs, with the libraries that it has. */
function listFiles(project) {
  return run(process.execPath, [
    "tooling/build/bin/gantry-typecheck.mjs",
    ...["--listFilesOnly", "-p", project],
  ]).map((path) => path.replace(`${rootFolder}/`, ""));
}

const servers = listFiles("tsconfig.json");

it("has every server, tool and test in one of the two programs", () => {
  const checked = new Set([...servers, ...listFiles("tsconfig.browser.json")]);
  const missing = run("git", ["ls-files", "*.ts"]).filter(
    (path) => !ELSEWHERE.test(path) && !checked.has(path),
  );
  expect(missing).toEqual([]);
});

it("has no DOM for servers, which the types of a package might bring", () => {
  expect(servers.filter((path) => /lib\.dom\./.test(path))).toEqual([]);
});
