import { opendir } from "node:fs/promises";
import { join } from "node:path";
import type { Git } from "@gantry/git-kit";
import type { Clock } from "@gantry/plugin";
import { isGantryError } from "@gantry/plugin";
import type { AgentFolder } from "./agent-folder.ts";
import { fuzzyFind } from "./fuzzy.ts";

const HITS = 20;
/** A list this old is still searched, while a new one is made. */
const FRESH_MS = 5000;
/** A list that was not searched for so long is dropped: an idle agent costs nothing. */
const KEPT_MS = 60_000;
const MAX_LISTS = 3;
const MAX_TOTAL_BYTES = 160 * 1024 * 1024;
/** What a walk without git looks at. */
const WALK = { entries: 1_000_000, ms: 10_000, depth: 64 };
const PASSED_OVER = new Set([".git", "node_modules"]);

/** All files of a folder at one time. */
interface FileList {
  /** Their paths in UTF-8, each ended by a NUL. */
  readonly paths: Uint8Array;
  readonly truncated: boolean;
  readonly madeAt: number;
}

interface Slot {
  list: Promise<FileList>;
  /** Stands in for the list while a newer one is made. */
  old: FileList | undefined;
  forget: () => void;
}

/** What a search found. */
export interface FileHits {
  items: { path: string }[];
  /** Whether there may be files that were not looked at. */
  truncated: boolean;
}

/** Searches the files of folders by a few letters of their paths. */
export class FileIndex {
  readonly #host: { git: Git; clock: Clock };
  readonly #slots = new Map<string, Slot>();

  constructor(host: { git: Git; clock: Clock }) {
    this.#host = host;
  }

  /** The best twenty for a query; for an empty one, the first twenty. */
  async find(folder: AgentFolder, query: string): Promise<FileHits> {
    const { paths, truncated } = await this.#list(folder);
    const hits = await fuzzyFind(paths, query, HITS, () => nextTurn());
    return { items: hits.map(({ path }) => ({ path })), truncated };
  }

  async #list(folder: AgentFolder): Promise<FileList> {
    const { clock } = this.#host;
    const slot = this.#slots.get(folder.root) ?? this.#open(folder);
    slot.forget();
    slot.forget = clock.after(KEPT_MS, () => this.#drop(folder.root, slot));
    if (slot.old) return slot.old;
    const list = await slot.list;
    if (clock.monotonic() - list.madeAt <= FRESH_MS) return list;
    // A user who types gets an answer at once; new files are there with the next letter.
    slot.old = list;
    slot.list = this.#read(folder).finally(() => (slot.old = undefined));
    slot.list.catch(() => this.#drop(folder.root, slot));
    return list;
  }

  #open(folder: AgentFolder): Slot {
    const slot: Slot = {
      list: this.#read(folder),
      old: undefined,
      forget: () => {},
    };
    slot.list.catch(() => this.#drop(folder.root, slot));
    this.#slots.set(folder.root, slot);
    const [oldest] = this.#slots;
    if (oldest && this.#slots.size > MAX_LISTS) this.#drop(...oldest);
    return slot;
  }

  #drop(root: string, slot: Slot): void {
    slot.forget();
    if (this.#slots.get(root) === slot) this.#slots.delete(root);
  }

  async #read(folder: AgentFolder): Promise<FileList> {
    const { clock } = this.#host;
    const found = (await this.#askGit(folder)) ?? (await walk(folder, clock));
    return { ...found, madeAt: clock.monotonic() };
  }

  /** What git knows of, and what it would take up. `undefined` where there is no repository, or it takes too long. */
  async #askGit(
    folder: AgentFolder,
  ): Promise<Omit<FileList, "madeAt"> | undefined> {
    try {
      const { code, stdout, truncated } = await this.#host.git(
        folder.root,
        "ls-files",
        ["-z", "--cached", "--others", "--exclude-standard", "--deduplicate"],
        { maxOutputBytes: MAX_TOTAL_BYTES },
      );
      if (code !== 0) return undefined;
      // Half a path is none.
      const whole = truncated
        ? stdout.slice(0, stdout.lastIndexOf("\0") + 1)
        : stdout;
      // A folder alone is a repository of its own.
      const files = whole.replaceAll(/(?<=^|\0)[^\0]*\/\0/g, "");
      return { paths: Buffer.from(files), truncated };
    } catch (error) {
      if (isGantryError(error) && error.code.startsWith("GIT_"))
        return undefined;
      throw error;
    }
  }
}

/** The files below a folder that git knows nothing of, breadth first, as far as the bounds allow. No link is followed. */
async function walk(
  folder: AgentFolder,
  clock: Clock,
): Promise<Omit<FileList, "madeAt">> {
  const end = clock.monotonic() + WALK.ms;
  const chunks: Buffer[] = [];
  let left = WALK.entries;
  let truncated = false;
  let level = [""];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === WALK.depth)
      return { paths: Buffer.concat(chunks), truncated: true };
    const next: string[] = [];
    for (const path of level) {
      if (left <= 0 || clock.monotonic() > end) {
        truncated = true;
        break;
      }
      const { files, folders } = await readLevel(folder, path, left);
      left -= files.length + folders.length;
      if (files.length > 0) chunks.push(Buffer.from(files.join("\0") + "\0"));
      for (const name of folders) next.push(name);
    }
    level = truncated ? [] : next;
  }
  return { paths: Buffer.concat(chunks), truncated };
}

async function readLevel(
  folder: AgentFolder,
  path: string,
  most: number,
): Promise<{ files: string[]; folders: string[] }> {
  const files: string[] = [];
  const folders: string[] = [];
  const opened = await folder.openFolder(path).catch(() => undefined);
  if (!opened) return { files, folders };
  try {
    for await (const entry of await opendir(opened.path, { bufferSize: 512 })) {
      if (files.length + folders.length >= most) break;
      const below = path === "" ? entry.name : join(path, entry.name);
      if (entry.isFile()) files.push(below);
      else if (entry.isDirectory() && !PASSED_OVER.has(entry.name))
        folders.push(below);
    }
  } finally {
    await opened.handle.close();
  }
  return { files, folders };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
