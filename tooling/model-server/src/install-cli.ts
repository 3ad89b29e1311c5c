import { execFile } from "node:child_process";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/** Where real CLIs are kept, outside of the checkout. */
function cacheFolder(): string {
  const base = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return join(base, "gantry-agents");
}

/** A package of the npm registry to install. */
export interface PinnedPackage {
  /** Begins the name of its folder. */
  name: string;
  package: string;
  version: string;
  /** Leave out what it does not need to run. */
  omitOptional?: boolean;
}

/** Installs a version of a package from the npm registry, once; gives its `node_modules`, `undefined` if out of reach. */
export async function installPackage(
  pinned: PinnedPackage,
): Promise<string | undefined> {
  const { name, version } = pinned;
  const folder = join(cacheFolder(), `${name}-${version}`);
  if (await hasVersion(folder, pinned)) return join(folder, "node_modules");
  const draft = `${folder}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  await writeFile(join(draft, "package.json"), '{"private":true}');
  try {
    // Exactly this version: npm quietly takes another one whose engines fit better, if it may choose.
    const args = [
      "install",
      ...(pinned.omitOptional ? ["--omit=optional"] : []),
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      `${pinned.package}@${version}`,
    ];
    await promisify(execFile)("npm", args, {
      cwd: draft,
      timeout: 240_000,
      env: npmEnvironment(),
    });
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    console.warn(
      `${name} ${version} could not be installed: ${String(error).slice(0, 300)}`,
    );
    return undefined;
  }
  await rm(folder, { recursive: true, force: true });
  await mkdir(dirname(folder), { recursive: true });
  await rename(draft, folder);
  return join(folder, "node_modules");
}

async function hasVersion(
  folder: string,
  pinned: PinnedPackage,
): Promise<boolean> {
  try {
    const manifest = await readFile(
      join(folder, "node_modules", pinned.package, "package.json"),
      "utf8",
    );
    return (
      (JSON.parse(manifest) as { version: string }).version === pinned.version
    );
  } catch {
    return false;
  }
}

/** The settings of the package manager that runs these tests would confuse npm. */
function npmEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm|pnpm)_/i.test(name)),
  );
}
