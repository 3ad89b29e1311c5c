/** One protection, and how to switch it off. */
export interface Mutant {
  /** What is switched off. Those of one protection begin with the same words. */
  name: string;
  /** What is copied: a package, or all of the kernel's. */
  folder:
    | "kernel"
    | "plugins/browser"
    | "plugins/git-kit"
    | "plugins/shell"
    | "plugins/storage-unstorage";
  /** Path of the source below that folder. */
  file: string;
  /** A piece of the source that is there exactly once. */
  find: string;
  /** What stands there instead. */
  by: string;
  /** Files of tests below that folder, of which at least one must fail. */
  tests: readonly string[];
}

/** Switches a protection off in the text of its source. @throws Error if the piece is not there exactly once */
export function applyMutant(
  { name, file, find, by }: Mutant,
  source: string,
): string {
  const parts = source.split(find);
  if (parts.length !== 2)
    throw new Error(
      `"${name}" is out of date: what it replaces is ${parts.length - 1} times in ${file}.`,
    );
  return parts.join(by);
}
