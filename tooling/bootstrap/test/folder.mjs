import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A temporary folder with these files, gone after the test. */
export function createFolder(files = {}) {
  const folder = mkdtempSync(join(tmpdir(), "gantry-bootstrap-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files))
    write(folder, path, content);
  return folder;
}

/** Writes a file; one that begins with `#!` can be run. */
export function write(folder, path, content) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    typeof content === "string" ? content : JSON.stringify(content),
  );
  if (String(content).startsWith("#!")) chmodSync(file, 0o755);
}
