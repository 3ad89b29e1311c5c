import { defineEvent } from "./event.ts";

/** A raw entry of the store. */
export interface StoreEntry {
  /** The whole key, with the plugin's id before its first `:`. */
  key: string;
  /** The value as JSON; for a damaged entry, its raw text. */
  text: string;
}

/** All entries of one plugin, or of the kernel. */
export interface StoreNamespace {
  /** Id of a plugin, or `kernel`. */
  readonly name: string;
  /** Pages of some hundred entries in key order. Read all of them before the next namespace. */
  readonly entries: AsyncIterable<readonly StoreEntry[]>;
}

/**
 * A consistent snapshot of the store, independent of later writes. Browser sessions, the daemon's lease and other transient
 * entries are not included.
 */
export interface StoreImage {
  readonly namespaces: AsyncIterable<StoreNamespace>;
  /** Releases the image. Storage that was freed meanwhile is kept until then. */
  close(): Promise<void>;
}

/**
 * A replacement of the home, for {@link WholeHome.replace}. Content of the stage:
 *
 * | Path in the stage                        | Content                                                       |
 * | ---------------------------------------- | ------------------------------------------------------------- |
 * | `store/<namespace>.ndjson`               | one line per entry: `{"key": …, "text": …}`, in key order     |
 * | `data/<plugin>/…`                        | the files of a plugin                                         |
 * | `config.json`, `token`, `certificate.json` | files of the home; one that is missing is kept as it is      |
 *
 * `replace` replaces the whole store, and the folder of each plugin that has one in the stage. `merge` adds staged records and
 * files, replaces those with the same key or path, and keeps all others. Index entries of collections are rebuilt.
 */
export interface HomeReplacement {
  /** A folder from {@link WholeHome.stage}. */
  stage: string;
  mode: "replace" | "merge";
  /** Whether paired browsers stay paired; always so for `merge`. */
  keepsSessions: boolean;
  /** Returned by {@link WholeHome.lastReplacement}; at most 4 KB as JSON. */
  note: object;
}

/** The result of a replacement. */
export interface ReplacementResult {
  /** RFC 3339 UTC with milliseconds. */
  at: string;
  mode: "replace" | "merge";
  note: object;
  /** Why it failed, in a sentence; the home is then unchanged. `null` on success. */
  failure: string | null;
}

/** Emitted when a replacement has succeeded or failed, by the daemon that runs afterwards. */
export const HomeReplaced = defineEvent<{
  mode: "replace" | "merge";
  failure: string | null;
}>(
  "kernel.home-replaced",
  "What plugins store was replaced by a copy; with a failure, all is as it was before.",
);

/** State of a plugin in a rehearsal; see {@link WholeHome.rehearse}. */
export interface RehearsedPlugin {
  id: string;
  state: string;
  reason: string | null;
}

/** The home of all plugins, for a plugin that backs it up and restores it. */
export interface WholeHome {
  /** Version of the daemon. */
  readonly version: string;
  readonly folder: string;
  /** Contains the plugins' folders of files, each named by the plugin's id. */
  readonly data: string;
  /** Versions of the plugins that are loaded, by id. */
  plugins(): Readonly<Record<string, string>>;
  /** Opens a snapshot of the store. Rejects with `STORAGE_UNAVAILABLE` (503). */
  readStore(signal: AbortSignal): Promise<StoreImage>;
  /**
   * Creates an empty folder on the same disk as the home. A stage that was not passed to {@link replace} is removed at the
   * next start.
   */
  stage(): Promise<string>;
  /**
   * Replaces content of the home with a stage. Once it resolves, the replacement will complete even if the daemon is killed:
   * it continues at the next start, before any plugin runs.
   *
   * - `replace`: the daemon stops all plugins, the caller included, swaps the folders by rename and restarts in the same
   *   process on the same port.
   * - `merge`: only plugins whose records or files are staged are stopped. Resolves when they have restarted, unless the caller
   *   depends on one of them and is stopped too.
   *
   * Rejects with a TypeError for an invalid stage, and with `HOME_REPLACEMENT_PENDING` (409) while another replacement is
   * pending; both change nothing.
   */
  replace(replacement: HomeReplacement): Promise<void>;
  /** The result of the latest replacement; `undefined` if there was none. */
  lastReplacement(): Promise<ReplacementResult | undefined>;
  /**
   * Starts a daemon with the same plugins on a copy of a home, in a separate process, and stops it again. Its clock does not
   * advance, and it starts no programs and makes no requests, so that no scheduled work runs twice. Resolves with the state
   * that each plugin reached.
   */
  rehearse(
    home: string,
    signal: AbortSignal,
  ): Promise<{ plugins: RehearsedPlugin[] }>;
}
