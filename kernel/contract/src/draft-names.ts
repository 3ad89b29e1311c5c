import { createHash, randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";

/** A name of a draft or of an old content, taken apart. */
export interface LeftName {
  /** Tells which file of the folder it belongs to. */
  of: string;
  /** The process that wrote it. Drafts of early versions do not tell. */
  pid: number | undefined;
}

/** Where `replaceFile` writes the new content of a file first. */
export function toDraftPath(file: string): string {
  return join(dirname(file), `.${basename(file)}.${toMark()}.tmp`);
}

/** Where `placeFile` keeps the old content of a file that it overwrites. */
export function toAsidePath(file: string): string {
  const key = asideKeyOf(basename(file));
  return join(dirname(file), `.gantry-${key}-${toMark()}.before`);
}

/** Stands for the name of a file, which may be too long to be a part of another one. */
export function asideKeyOf(name: string): string {
  return createHash("sha256").update(name).digest("hex").slice(0, 16);
}

/** @returns `of` is the name of the file; `undefined` for any other name */
export function parseDraftName(name: string): LeftName | undefined {
  return parse(/^\.(.+)\.(?:(\d+)-)?[0-9a-f]{12}\.tmp$/s, name);
}

/** @returns `of` is the {@link asideKeyOf} of the file; `undefined` for any other name */
export function parseAsideName(name: string): LeftName | undefined {
  return parse(/^\.gantry-([0-9a-f]{16})-(\d+)-[0-9a-f]+\.before$/, name);
}

/** Whether a process runs, or may run. */
export function isRunning(pid: number | undefined): boolean {
  if (pid === undefined) return true;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It belongs to another process.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

const toMark = () => `${process.pid}-${randomBytes(6).toString("hex")}`;

function parse(pattern: RegExp, name: string): LeftName | undefined {
  const [, of, pid] = pattern.exec(name) ?? [];
  if (of === undefined) return undefined;
  return { of, pid: pid === undefined ? undefined : Number(pid) };
}
