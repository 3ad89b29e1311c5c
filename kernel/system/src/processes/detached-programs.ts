import { mkdir, readdir, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "@gantry/plugin/files";
import { identify, isSame } from "./identity.ts";
import type { ProcessIdentity } from "./identity.ts";

/** A program that a plugin started to outlive it. */
export interface DetachedProgram {
  pid: number;
  plugin: string;
  program: string;
  cwd: string;
  /** RFC 3339 UTC with milliseconds. */
  startedAt: string;
  isHost: boolean;
  /** The mark that a host passes to what it starts. */
  mark: string | undefined;
}

/** Not one that is just being written. */
const FILE_NAME = /^\d+\.json$/;

/** Files that name the programs that outlive the daemon. */
export type DetachedPrograms = ReturnType<typeof openDetachedPrograms>;

/** Opens the folder of their files, which is made with the first of them. */
export function openDetachedPrograms(folder: string) {
  const fileOf = (pid: number) => join(folder, `${pid}.json`);

  return {
    /** Writes one down. */
    async add(program: DetachedProgram): Promise<void> {
      const file = { ...program, ...(await identify(program.pid)) };
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Not flushed: after a crash of the machine the program is gone as well.
      await replaceFile(fileOf(program.pid), JSON.stringify(file), {
        isFlushed: false,
      });
    },
    /** Those that still run, of earlier daemons too. Forgets the others. */
    async list(): Promise<DetachedProgram[]> {
      const running: DetachedProgram[] = [];
      const names = await readdir(folder).catch(() => []);
      for (const name of names.filter((name) => FILE_NAME.test(name))) {
        const path = join(folder, name);
        const file = await readFile(path, "utf8")
          .then((text) => JSON.parse(text) as DetachedProgram & ProcessIdentity)
          .catch(() => undefined);
        if (file && (await isSame(file))) {
          const { pid, plugin, program, cwd, startedAt, mark } = file;
          // An earlier version, which did not write it down, had the host of terminals alone.
          const { isHost = true } = file;
          const origin = { plugin, program, cwd, startedAt, isHost, mark };
          running.push({ pid, ...origin });
        } else await unlink(path).catch(() => {});
      }
      return running;
    },
  };
}
