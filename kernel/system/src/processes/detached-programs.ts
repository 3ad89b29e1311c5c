import { mkdir, readdir, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "../files/atomic-file.ts";
import { bootId } from "./process-table.ts";
import { readProcesses } from "./read-processes.ts";
import type { ProcessTable } from "./read-processes.ts";

/** A program that a plugin started to outlive the daemon. */
export interface DetachedProgram {
  pid: number;
  plugin: string;
  program: string;
  cwd: string;
  /** RFC 3339 UTC with milliseconds. */
  startedAt: string;
}

/** The stored record of a program, by which a later daemon distinguishes it from another process with the same id. */
interface DetachedFile extends DetachedProgram {
  bootId: string | undefined;
  startTime: string | undefined;
}

/** Excludes files that are still being written. */
const FILE_NAME = /^\d+\.json$/;

/** Files that record the programs that outlive the daemon. */
export interface DetachedPrograms {
  /** Records a program. */
  add(program: DetachedProgram): Promise<void>;
  /** Those that are still running, including those of earlier daemons. Removes the others. */
  list(table: ProcessTable | undefined): Promise<DetachedProgram[]>;
}

/** Opens the folder of their files, which is created with the first of them. */
export function openDetachedPrograms(folder: string): DetachedPrograms {
  const thisBoot = bootId();
  const fileOf = (pid: number) => join(folder, `${pid}.json`);

  return {
    async add(program) {
      const table = await readProcesses();
      const file: DetachedFile = {
        ...program,
        bootId: await thisBoot,
        startTime: table?.get(program.pid)?.startTime,
      };
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Not flushed: after a crash of the machine the program has ended as well.
      await writeFileAtomic(fileOf(program.pid), JSON.stringify(file), {
        isFlushed: false,
      });
    },
    async list(table) {
      const running: DetachedProgram[] = [];
      const names = await readdir(folder).catch(() => []);
      for (const name of names.filter((name) => FILE_NAME.test(name))) {
        const path = join(folder, name);
        const file = await readFile(path, "utf8")
          .then((text) => JSON.parse(text) as DetachedFile)
          .catch(() => undefined);
        const isRunning =
          file?.startTime !== undefined &&
          file.bootId === (await thisBoot) &&
          table?.get(file.pid)?.startTime === file.startTime;
        if (isRunning) {
          const { pid, plugin, program, cwd, startedAt } = file;
          running.push({ pid, plugin, program, cwd, startedAt });
        } else await unlink(path).catch(() => {});
      }
      return running;
    },
  };
}
