import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** What lies beside the sources and does not go into a build. */
const SKIPPED = new Set([
  ".cache",
  ".data",
  ".git",
  ".nuxt",
  ".turbo",
  "artifacts",
  "node_modules",
  "test",
]);
/** What a build makes. */
const OUTPUTS = new Set([".output", "dist"]);

/**
 * Remembers the state of a build's sources and of what it made, by size and times of every file, so that nothing has
 * to be started to learn that nothing changed. The change time is among them: no program can set it.
 */
export function createTreeStamp(file, paths) {
  return {
    isFresh() {
      if (!existsSync(file)) return false;
      const { sources, outputs } = fingerprint(paths);
      return readFileSync(file, "utf8") === `${sources}\n${outputs}`;
    },
    /** Runs the build. What is edited meanwhile may be in it or not, so then nothing is remembered. */
    async build(run) {
      rmSync(file, { force: true });
      const before = fingerprint(paths);
      await run();
      const after = fingerprint(paths);
      if (before.sources !== after.sources) return;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${after.sources}\n${after.outputs}`);
    },
  };
}

function fingerprint(paths) {
  const sources = createHash("sha256");
  const outputs = createHash("sha256");
  for (const path of paths) {
    if (!existsSync(path)) continue;
    if (statSync(path).isDirectory()) walk(path, sources, outputs);
    else add(path, sources);
  }
  return { sources: sources.digest("hex"), outputs: outputs.digest("hex") };
}

function walk(folder, digest, outputs) {
  const entries = readdirSync(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) {
      if (digest === outputs || !/\.(md|log)$/.test(entry.name))
        add(path, digest);
    } else if (digest === outputs || OUTPUTS.has(entry.name)) {
      walk(path, outputs, outputs);
    } else if (!SKIPPED.has(entry.name)) {
      walk(path, digest, outputs);
    }
  }
}

function add(path, digest) {
  const { size, mtimeMs, ctimeMs } = lstatSync(path);
  digest.update(`${path}\0${size}\0${mtimeMs}\0${ctimeMs}\n`);
}
