import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeChanges, readUserEnvironment } from "../user-environment.mjs";
import { createFolder } from "./folder.mjs";

const MODULE = JSON.stringify(
  join(import.meta.dirname, "../user-environment.mjs"),
);
const PRINT = `import { readUserEnvironment } from ${MODULE};
console.log("ENV " + JSON.stringify(readUserEnvironment(process.env)));`;

it("is the environment in which npm was started", () => {
  const folder = createFolder({
    "package.json": JSON.stringify({ scripts: { start: "node print.mjs" } }),
    "print.mjs": PRINT,
  });
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    SHLVL: "1",
    npm_config_fund: "false",
    NODE: "mine",
    EDITOR: "mine",
  };
  const { stdout } = spawnSync("npm", ["start"], {
    ...{ cwd: folder, env, encoding: "utf8" },
    shell: process.platform === "win32",
  });
  const found = JSON.parse(/^ENV (.*)$/m.exec(stdout)[1]);
  expect(found).toMatchObject(
    process.platform === "linux" ? env : { HOME: folder, SHLVL: "1" },
  );
  expect(Object.keys(found)).not.toContain("npm_lifecycle_event");
  expect(Object.keys(found)).not.toContain("INIT_CWD");
});

it("is without what npm adds where its process cannot be read", () => {
  expect(
    readUserEnvironment(
      {
        ...{ HOME: "/home/me", npm_lifecycle_event: "start" },
        ...{ npm_config_user_agent: "npm/10", INIT_CWD: "/x", NODE: "/node" },
        PATH: "/p/node_modules/.bin:/node_modules/.bin:/n/node-gyp-bin:/home/me/bin:/bin",
      },
      0,
    ),
  ).toEqual({ HOME: "/home/me", PATH: "/home/me/bin:/bin" });
});

it("says what to put back and what to take away", () => {
  expect(
    JSON.parse(
      describeChanges(
        { PATH: "/bin", HOME: "/h", EDITOR: "vi" },
        { PATH: "/own:/bin", HOME: "/h", NODE: "/node" },
      ),
    ),
  ).toEqual({ PATH: "/bin", EDITOR: "vi", NODE: null });
});
