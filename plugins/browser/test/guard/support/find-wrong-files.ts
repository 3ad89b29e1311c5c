import {
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { judgeFile } from "../../../src/guard/judge-file.ts";

/** Compares the verdicts about files with what they have to be. Returns a line for each that is another. */
export function findWrongFiles(judge: typeof judgeFile): string[] {
  const root = mkdtempSync(join(tmpdir(), "gantry-files-"));
  const folder = join(root, "own");
  try {
    for (const path of [folder, join(root, "own-not"), join(folder, "sub")])
      mkdirSync(path);
    for (const path of ["own/a", "own/sub/b", "own-not/c", "d"])
      writeFileSync(join(root, path), path);
    symlinkSync(folder, join(root, "link-to-own"));
    symlinkSync(join(root, "d"), join(folder, "link-out"));
    symlinkSync(join(folder, "a"), join(folder, "link-in"));
    symlinkSync(root, join(folder, "up"));
    const verdicts: [path: string, of: string | null, isAllowed: boolean][] = [
      [join(folder, "a"), folder, true],
      [join(folder, "sub/b"), folder, true],
      [join(folder, "link-in"), folder, true],
      [join(folder, "a"), join(root, "link-to-own"), true],
      [join(folder, "a"), null, false],
      [join(folder, "link-out"), folder, false],
      [join(folder, "up/d"), folder, false],
      [join(folder, "../d"), folder, false],
      [join(root, "own-not/c"), folder, false],
      ["/etc/passwd", folder, false],
      [folder, folder, false],
      [join(folder, "sub"), folder, false],
      [join(folder, "none"), folder, false],
      ["a", folder, false],
      ["\0", folder, false],
      ["", folder, false],
    ];
    if (!judge(join(folder, "a"), null)?.includes("no folder"))
      return ["an agent without a folder must be told so"];
    return verdicts
      .filter(
        ([path, of, isAllowed]) => (judge(path, of) === null) !== isAllowed,
      )
      .map(([path]) => path);
  } finally {
    rmSync(root, { recursive: true });
  }
}
