import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeStore } from "./store-file.ts";

const FOLDER = fileURLToPath(new URL("../fixtures/homes/", import.meta.url));
/** Stands for the home's own path. */
const HOME = "@HOME@";

/** The day that the dates in them count from. */
const WRITTEN = Date.parse("2026-11-22");
const DAY_MS = 24 * 60 * 60 * 1000;

/** A home as an earlier version of the daemon left it, and what that version answered. */
export interface EarlierHome {
  /** Empty ones too. */
  readonly folders: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** What is in the store, by key. */
  readonly entries: Readonly<Record<string, object>>;
  /** Answers to GET requests, by path. */
  readonly answers: Readonly<Record<string, unknown>>;
}

/** Names of the homes that are kept, the newest first. Each is the day on which its version was made. */
export async function listEarlierHomes(): Promise<string[]> {
  const names = await readdir(FOLDER);
  return names
    .map((name) => name.replace(/\.json$/, ""))
    .sort()
    .reverse();
}

/**
 * Puts an earlier home into a folder, which becomes its path in everything that names it. Its days are moved so that it
 * was written today, or it would be too old to keep one day.
 */
export async function restoreEarlierHome(
  name: string,
  folder: string,
): Promise<EarlierHome> {
  const text = await readFile(join(FOLDER, `${name}.json`), "utf8");
  const written = JSON.parse(text) as EarlierHome;
  const home = JSON.parse(
    moveDays(text.replaceAll(HOME, folder)),
  ) as EarlierHome;
  await mkdir(folder, { mode: 0o700 });
  for (const path of home.folders)
    await mkdir(join(folder, path), { recursive: true, mode: 0o700 });
  for (const [path, content] of Object.entries(home.files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    // Each entry of the audit has a hash of the one before.
    const isAudit = path.startsWith("audit/");
    await writeFile(
      join(folder, path),
      isAudit ? (written.files[path] ?? "") : content,
      { mode: 0o600 },
    );
  }
  writeStore(folder, home.entries);
  return home;
}

function moveDays(text: string): string {
  const days = Math.floor((Date.now() - WRITTEN) / DAY_MS);
  return text.replace(/\b20\d\d-\d\d-\d\d(?=T|"|:)/g, (day) =>
    new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10),
  );
}
