import type { StoreEntry } from "@gantry/plugin";
import type { Manifest } from "./manifest.ts";
import type { OnProgress } from "./progress.ts";

/** A file of a plugin in a snapshot. */
export interface SnapshotFile {
  plugin: string;
  /** Relative to the plugin's folder, with `/`. */
  path: string;
  /** Permissions, such as 0o600. */
  mode: number;
  size: number;
  sha256: string;
}

/** What is extracted, and where to. */
export interface ExtractOptions {
  /** As `only` of a restore takes them: `snippets`, or `automations:run`. All, with the files of the home, without it. */
  parts?: readonly string[] | undefined;
  /** Text of the `config.json` of now: settings that the snapshot does not have as they are secrets are taken from it. */
  currentConfig?: string | undefined;
  signal: AbortSignal;
  onProgress?: OnProgress;
}

/** Reads one snapshot. Its methods throw BACKUP_SNAPSHOT_CORRUPT, _INVALID, _TOO_LARGE, or BACKUP_PASSPHRASE_MISSING. */
export interface SnapshotReader {
  /** Absolute path of its folder. */
  readonly path: string;
  readonly manifest: Manifest;
  /** Reads every byte and compares all digests, counts and sizes. Writes nothing. */
  check(signal: AbortSignal, onProgress?: OnProgress): Promise<void>;
  /**
   * Entries of a namespace, some hundred at a time, in key order; none if the snapshot has no such namespace. Its digest is known
   * at its end: what came before is not to be trusted until then, unless it was checked.
   */
  entries(
    namespace: string,
    signal?: AbortSignal,
  ): AsyncIterable<readonly StoreEntry[]>;
  /** Its files, in the order of plugins and paths. */
  files(signal?: AbortSignal): AsyncIterable<SnapshotFile>;
  /**
   * Writes what `HomeReplacement` documents into a folder that is there and empty, checking all of it meanwhile. Removes what it
   * wrote if it fails.
   *
   * @throws BACKUP_DISK_FULL
   */
  extract(stage: string, options: ExtractOptions): Promise<void>;
}

/**
 * Opens a snapshot: reads its manifest, and no more.
 *
 * @param options.identity Secret key of an encrypted snapshot (`AGE-SECRET-KEY-1…`). Without it only the manifest can be read.
 * @throws BACKUP_SNAPSHOT_CORRUPT also without a manifest, BACKUP_SNAPSHOT_INVALID, BACKUP_SNAPSHOT_TOO_LARGE,
 *   BACKUP_SNAPSHOT_TOO_NEW, BACKUP_PASSPHRASE_WRONG for the identity of another key, BACKUP_FOLDER_UNAVAILABLE
 */
export function openSnapshot(
  path: string,
  options: { identity?: string | undefined } = {},
): Promise<SnapshotReader> {
  return Promise.reject(
    new Error(`Not written yet: ${path} ${typeof options}`),
  );
}
