import type { IPty, IPtyForkOptions } from "node-pty";

/** What the host uses of `node-pty` and of its prebuilt twin. */
export interface PtyModule {
  spawn(
    file: string,
    args: string[],
    options: Omit<IPtyForkOptions, "encoding"> & { encoding: null },
  ): IPty;
}

/** Best first. The second is the same, built beforehand, for machines without a compiler. */
const PACKAGES = ["node-pty", "@lydell/node-pty"];

/** The package that makes terminals, or why there is none. */
export type LoadedPty =
  { name: string; pty: PtyModule } | { name: null; problem: string };

/** Loads what makes terminals: native code, which is why it is in no bundle and in this process alone. */
export async function loadPty(): Promise<LoadedPty> {
  const problems: string[] = [];
  for (const name of PACKAGES) {
    try {
      // By a name that a bundler does not see through.
      const loaded = (await import(name)) as { default: PtyModule };
      return { name, pty: loaded.default };
    } catch (error) {
      const [line = ""] = String((error as Error).message).split("\n");
      problems.push(`${name}: ${line.slice(0, 200)}`);
    }
  }
  return { name: null, problem: problems.join("; ") };
}
