import { join } from "node:path";
import { installPackage } from "./install-cli.ts";

const PACKAGE = "@earendil-works/pi-coding-agent";

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
  const modules = await installPackage({
    name: "pi",
    package: PACKAGE,
    version,
    omitOptional: true,
  });
  return modules === undefined
    ? undefined
    : {
        version,
        program: join(modules, PACKAGE, "dist", "cli.js"),
        commands: join(modules, ".bin"),
      };
}
