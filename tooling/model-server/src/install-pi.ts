import { execFile } from "node:child_process";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const PACKAGE = "@earendil-works/pi-coding-agent";

/** Where real CLIs are kept, outside of the checkout. */
function cacheFolder(): string {
  const base = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return join(base, "gantry-agents");
}

/** The versions of pi that are tested: the last of the line that runs on Node 20, and a current one. */
export const PI_VERSIONS = ["0.74.2", "0.87.1"] as const;

/** A real pi on this machine. */
export interface InstalledPi {
  version: string;
  /** Its program, to be run by Node. */
  program: string;
  /** A folder for the PATH, in which it is `pi`. */
  commands: string;
}

/** Installs a version of pi from the npm registry, once. Gives `undefined` if the registry is out of reach. */
export async function installPi(
  version: string,
): Promise<InstalledPi | undefined> {
  const folder = join(cacheFolder(), `pi-${version}`);
  const installed = {
    version,
    program: join(folder, "node_modules", PACKAGE, "dist", "cli.js"),
    commands: join(folder, "node_modules", ".bin"),
  };
  if (await hasVersion(folder, version)) return installed;
  const draft = `${folder}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  await writeFile(join(draft, "package.json"), '{"private":true}');
  try {
    // Exactly this version: npm quietly takes another one whose engines fit better, if it may choose.
    const args = [
      "install",
      "--omit=optional",
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      `${PACKAGE}@${version}`,
    ];
    await promisify(execFile)("npm", args, {
      cwd: draft,
      timeout: 240_000,
      env: npmEnvironment(),
    });
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    console.warn(
      `pi ${version} could not be installed: ${String(error).slice(0, 300)}`,
    );
    return undefined;
  }
  await rm(folder, { recursive: true, force: true });
  await mkdir(dirname(folder), { recursive: true });
  await rename(draft, folder);
  return installed;
}

async function hasVersion(folder: string, version: string): Promise<boolean> {
  try {
    const manifest = await readFile(
      join(folder, "node_modules", PACKAGE, "package.json"),
      "utf8",
    );
    return (JSON.parse(manifest) as { version: string }).version === version;
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
