import { createHash } from "node:crypto";
import { mkdir, open, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { Git, PrivateGit, PrivatePlaces } from "@gantry/git-kit";
import { isGantryError } from "@gantry/plugin";
import { NoCheckpoint } from "./no-checkpoint.ts";
import { MAX_FILES } from "./limits.ts";
import { listChanges, type FileChanges } from "./list-changes.ts";
import { runPrivate } from "./run-private.ts";
import { storeFiles } from "./store-files.ts";
import { readIndexMark, readSmallFile } from "./user-index.ts";

/** The tree without files. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/** The folder of an agent, in a working tree. */
export interface SnapshotPlace {
  /** Top folder of the working tree. */
  root: string;
  /** The agent's, with every link followed. */
  folder: string;
}

/** A folder as it was at one moment. */
export interface Snapshot {
  /** Hash of its tree, with paths from the folder on. */
  tree: string;
  /** Files that are too large or not to be read, one character for each byte. */
  notKept: string[];
}

/** Dependencies of {@link SnapshotStore}. */
export interface SnapshotStoreHost {
  git: Git;
  privateGit: PrivateGit;
  /** Folders of the daemon, out of which nothing is kept. */
  home: string;
}

/**
 * Keeps snapshots of one folder in a repository of the plugin's own. Its index is kept as well, so that git reads only files
 * that changed since the last snapshot. To be used by one caller at a time.
 */
export class SnapshotStore {
  readonly places: PrivatePlaces;
  readonly #host: SnapshotStoreHost;
  /** Files that are kept although they are ignored, since the user's repository has them. */
  #forced = new Set<string>();
  /** When those were looked for: as the user's index was then. */
  #indexMark: string | undefined;
  /** What the repository excludes. */
  #prepared: string | undefined;
  /** The last snapshot, as long as nothing has changed. */
  #tree: string | undefined;

  constructor(
    host: SnapshotStoreHost,
    repository: string,
    { root, folder }: SnapshotPlace,
  ) {
    this.#host = host;
    this.places = { repository, workTree: root, folder };
  }

  /** The name of the repository of a folder. */
  static nameOf({ root, folder }: SnapshotPlace): string {
    const digest = createHash("sha256").update(`${root}\0${folder}`);
    return digest.digest("base64url").slice(0, 32);
  }

  /** Makes the repository unless it is there, and has it exclude what the user's own excludes. */
  async prepare(): Promise<void> {
    const { repository, workTree: root, folder } = this.places;
    // Left by a git that was ended; no other process uses this index.
    await rm(join(repository, "index.lock"), { force: true });
    const excluded = await this.#excluded();
    if (excluded === this.#prepared) return;
    await this.#host.privateGit.create(repository, excluded);
    await mkdir(join(repository, "agents"), { recursive: true, mode: 0o700 });
    const text = JSON.stringify({ root, folder });
    await writeFile(join(repository, "place.json"), text, { mode: 0o600 });
    this.#prepared = excluded;
  }

  /** Whether a snapshot was taken before, so that the next one is quick. */
  async isWarm(): Promise<boolean> {
    return (await this.#countEntries()) > 0;
  }

  /**
   * Stores the folder as it is now.
   *
   * @param also Files to be stored even if they are ignored.
   * @throws NoCheckpoint, GIT_FAILED, GIT_TIMEOUT
   */
  async take(
    signal: AbortSignal,
    also: readonly string[] = [],
  ): Promise<Snapshot> {
    try {
      return await this.#take(signal, also).catch(async (error: unknown) => {
        if (signal.aborted || !isGantryError(error)) throw error;
        // A file may have become a folder while git was at it.
        return await this.#take(signal, also);
      });
    } catch (error) {
      // Whatever is wrong with the index, the next snapshot reads all files again.
      if (!signal.aborted && !(error instanceof NoCheckpoint)) {
        await rm(join(this.places.repository, "index"), { force: true });
        this.#forget();
      }
      throw error;
    }
  }

  async #take(signal: AbortSignal, also: readonly string[]): Promise<Snapshot> {
    await this.prepare();
    const { privateGit } = this.#host;
    const { places } = this;
    const mark = await readIndexMark(places.workTree);
    const entries = await this.#countEntries();
    const changes = await listChanges({
      ...{ ...this.#host, places, signal, also },
      excluded: this.#homeInFolder(),
      forced: this.#forced,
      areForcedKnown: mark !== undefined && mark === this.#indexMark,
      maxNew: MAX_FILES - entries,
    });
    const notKept = await storeFiles(privateGit, places, changes, signal);
    for (const path of changes.forced) this.#forced.add(path);
    const isIgnored = ({ present, gone }: FileChanges) =>
      [...present, ...gone].some((path) => path.endsWith(".gitignore"));
    // Other rules may make other files of the user's repository ignored ones.
    this.#indexMark = isIgnored(changes) ? undefined : mark;
    if (changes.present.length + changes.gone.length > 0)
      this.#tree = undefined;
    this.#tree ??= await this.#writeTree(signal);
    return { tree: this.#tree, notKept };
  }

  async #writeTree(signal: AbortSignal): Promise<string> {
    const { places } = this;
    if ((await this.#countEntries()) === 0) return EMPTY_TREE;
    const prefix = relative(places.workTree, places.folder);
    const { stdout } = await runPrivate(
      this.#host.privateGit,
      places,
      "write-tree",
      prefix === "" ? [] : [`--prefix=${prefix.split(sep).join("/")}/`],
      { signal, encoding: "utf8" },
    );
    return stdout.trim();
  }

  #forget(): void {
    this.#forced = new Set();
    this.#indexMark = undefined;
    this.#prepared = undefined;
    this.#tree = undefined;
  }

  /** What the index says of its length. */
  async #countEntries(): Promise<number> {
    const path = join(this.places.repository, "index");
    const handle = await open(path).catch(() => undefined);
    if (!handle) return 0;
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(12), 0, 12);
      return bytesRead === 12 ? buffer.readUInt32BE(8) : 0;
    } finally {
      await handle.close();
    }
  }

  /** The user's own exclusions for the repository, and the daemon's folders. */
  async #excluded(): Promise<string> {
    const { workTree, folder } = this.places;
    const common = await this.#host.git.common(folder);
    const path = join(common ?? join(workTree, ".git"), "info", "exclude");
    const own = await readSmallFile(path);
    const home = relative(workTree, this.#host.home);
    if (!isBelow(home)) return own;
    const pattern = home.replaceAll(/[\\*?[\]!# ]/g, String.raw`\$&`);
    return `${own}\n/${Buffer.from(pattern).toString("latin1")}\n`;
  }

  /** Where the daemon's home is in the folder, one character for each byte. */
  #homeInFolder(): string | undefined {
    const home = relative(this.places.folder, this.#host.home);
    return isBelow(home) ? Buffer.from(home).toString("latin1") : undefined;
  }
}

/** The place that a repository was made for; `undefined` if it does not say. */
export async function readPlace(
  repository: string,
): Promise<SnapshotPlace | undefined> {
  try {
    const text = await readFile(join(repository, "place.json"), "utf8");
    const { root, folder } = JSON.parse(text) as Partial<SnapshotPlace>;
    return typeof root === "string" && typeof folder === "string"
      ? { root, folder }
      : undefined;
  } catch {
    return undefined;
  }
}

function isBelow(path: string): boolean {
  return path !== "" && path !== ".." && !path.startsWith(`..${sep}`);
}
