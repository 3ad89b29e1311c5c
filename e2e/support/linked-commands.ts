import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const E2E = join(ROOT, "e2e/node_modules");
const FIXTURE = join(ROOT, "e2e/fixtures/reading-list/node_modules");
/** Packages that a new plugin depends on, by their folders. */
const PACKAGES: Readonly<Record<string, string>> = {
  "@gantry/build": join(ROOT, "tooling/build"),
  "@gantry/plugin": join(ROOT, "kernel/contract"),
  "@gantry/plugin-testing": join(ROOT, "kernel/testing"),
  "@gantry/ui-kit": join(ROOT, "ui/kit"),
  "@types/node": join(E2E, "@types/node"),
  typescript: join(E2E, "typescript"),
  vitest: join(E2E, "vitest"),
  vue: join(FIXTURE, "vue"),
  "vue-router": join(FIXTURE, "vue-router"),
  "vue-tsc": join(FIXTURE, "vue-tsc"),
  zod: join(FIXTURE, "zod"),
};

/**
 * Creates a folder for `PATH` with the commands that a page uses, for a machine without a package registry:
 *
 * - `npm install` links the packages of this checkout instead of downloading them
 * - `npm test` and `npm run typecheck` take the linked packages from their sources
 * - `npm`, with any other arguments, is npm itself
 * - `gantry` is the built command
 */
export async function createLinkedCommands(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const config = join(folder, "vitest.config.mjs");
  await writeFile(
    config,
    `const conditions = ["gantry-source"];
export default {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { include: ["test/**/*.test.ts"], testTimeout: 60_000 },
};
`,
  );
  await writeCommand(
    join(folder, "npm"),
    `case "$*" in
  install) exec node "${fileURLToPath(import.meta.url)}" ;;
  test) exec node_modules/.bin/vitest run --root . --config "${config}" ;;
  "run typecheck") exec node_modules/.bin/tsc --customConditions gantry-source ;;
  *) PATH="\${PATH#*:}" exec npm "$@" ;;
esac`,
  );
  await writeCommand(
    join(folder, "gantry"),
    `exec node "${join(ROOT, "kernel/core/bin/gantry.mjs")}" "$@"`,
  );
}

/** Links all dependencies of the package in a folder, with the commands that they bring. */
export async function linkDependencies(folder: string): Promise<void> {
  const require = createRequire(join(folder, "package.json"));
  const { devDependencies } = require("./package.json") as {
    devDependencies: Record<string, string>;
  };
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, ".bin"), { recursive: true });
  for (const name of Object.keys(devDependencies)) {
    const target = PACKAGES[name];
    if (target === undefined)
      throw new Error(`The test does not know where to link ${name} from.`);
    const link = join(modules, name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(target, link);
    const { bin = {} } = require(join(target, "package.json")) as {
      bin?: Record<string, string> | string;
    };
    const commands = typeof bin === "string" ? { [name]: bin } : bin;
    for (const [command, file] of Object.entries(commands))
      await writeCommand(
        join(modules, ".bin", command),
        `exec node "${join(target, file)}" "$@"`,
      );
  }
}

async function writeCommand(file: string, script: string): Promise<void> {
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
}

// Run as a program, it is `npm install`.
if (process.argv[1] === fileURLToPath(import.meta.url))
  await linkDependencies(process.cwd());
