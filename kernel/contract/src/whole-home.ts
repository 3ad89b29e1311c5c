import { defineEvent } from "./event.ts";

/** An entry of the store as it lies there. */
export interface StoreEntry {
  /** The whole key, with the plugin's id before its first `:`. */
  key: string;
  /** The value as JSON; of a damaged one, whatever lies there. */
  text: string;
}

/** All entries whose keys begin with the same plugin's id, or with `kernel`. */
export interface StoreNamespace {
  /** Id of a plugin, or `kernel`. */
  readonly name: string;
  /** In the order of their keys, some hundred at a time. To be read before the next namespace is asked for. */
  readonly entries: AsyncIterable<readonly StoreEntry[]>;
}

/**
 * The store as it was at one moment, while plugins continue to write. Sessions of browsers, the lease of the daemon and other things
 * that belong to the moment alone are not in it.
 */
export interface StoreImage {
  /** Read each to its end before the next. */
  readonly namespaces: AsyncIterable<StoreNamespace>;
  /** Lets go of it. Storage that was given up meanwhile is kept until then. */
  close(): Promise<void>;
}

/**
 * What a stage holds when it is handed to {@link WholeHome.replace}:
 *
 * | Path in the stage                        | What it is                                                    |
 * | ---------------------------------------- | ------------------------------------------------------------- |
 * | `store/<namespace>.ndjson`               | a line for each entry: `{"key": …, "text": …}`, in key order  |
 * | `data/<plugin>/…`                        | the files of a plugin                                         |
 * | `config.json`, `token`, `certificate.json` | files of the home; one that is missing stays as it is       |
 *
 * With `replace` the whole store becomes what is staged, as do the folders of the plugins that have one in the stage. With
 * `merge`, records and files that are staged are added or take the place of those with the same key or path; all others stay.
 * Index entries of collections are rebuilt.
 *
 * A file of a plugin may be a symbolic link that leads to something in the folder of the same plugin. What stays as it is may be
 * staged as a second name of itself, whatever it is, or as a link that says the same.
 */
export interface HomeReplacement {
  /** Folder that {@link WholeHome.stage} gave. */
  stage: string;
  /** `replace` removes what is not staged, `merge` keeps it; see above. */
  mode: "replace" | "merge";
  /** Whether browsers that are paired now stay paired. Those of a merge always do. */
  keepsSessions: boolean;
  /** Handed back by {@link WholeHome.lastReplacement}, at most 4 KB as JSON. */
  note: object;
  /**
   * Called when the files of the stage are on disk and the plugins whose records or files are replaced have stopped, and gives
   * what the note has in addition. The caller keeps running with those that it needs, whose writes to the store reject with
   * `HOME_REPLACEMENT_PENDING` (409) from then on: what is copied in it is all that was acknowledged. It may write the records of
   * the caller in the stage again, and for `replace` add to folders of plugins that are in the stage what stays as it is, flushed.
   * If it rejects, so does {@link WholeHome.replace}: all is as it was, and the others start again.
   */
  beforeReplacing?(): Promise<object>;
}

/** How a replacement of the home ended. */
export interface ReplacementResult {
  /** RFC 3339 UTC with milliseconds. */
  at: string;
  /** As it was asked for. */
  mode: "replace" | "merge";
  /** What {@link HomeReplacement.note} had, with what `beforeReplacing` added. */
  note: object;
  /** What went wrong, in a sentence; the home is then as it was before. `null` if all went well. */
  failure: string | null;
}

/** Emitted when a replacement is over, by the daemon that runs then. */
export const HomeReplaced = defineEvent<{
  mode: "replace" | "merge";
  failure: string | null;
}>(
  "kernel.home-replaced",
  "What plugins store was replaced by a copy; with a failure, all is as it was before.",
);

/** How a plugin did on a copy of the home. */
export interface RehearsedPlugin {
  /** Kebab-case, as in its definition. */
  id: string;
  /** As in `DaemonPlugin`: `active` if it started. */
  state: string;
  /** Why it is not active; `null` if it is. */
  reason: string | null;
}

/** What a start on a copy of the home showed. */
export interface RehearsalOutcome {
  /** How each plugin that there is did; those that are not to start are in it too. */
  plugins: RehearsedPlugin[];
  /** Versions of the schemas of collections that plugins opened, by `<plugin>:<collection>`. */
  recordVersions: Readonly<Record<string, number>>;
}

/** The whole home, of all plugins: for a plugin that copies it and brings it back. */
export interface WholeHome {
  /** Version of the daemon. */
  readonly version: string;
  /** Absolute path of the home. */
  readonly folder: string;
  /** Holds a folder of files for each plugin that has any, called by the plugin's id. */
  readonly data: string;
  /** Versions of the plugins that are loaded, by id. */
  plugins(): Readonly<Record<string, string>>;
  /**
   * Versions of the schemas of collections that plugins have opened since the start, by `<plugin>:<collection>`. Records of a later
   * version would be there and not be shown. None while no daemon runs; {@link rehearse} gives them then.
   */
  recordVersions(): Readonly<Record<string, number>>;
  /** Checks the text of a `config.json`. @throws a TypeError that names the setting that a daemon of this version refuses */
  checkConfig(text: string): void;
  /** Opens an image of the store as it is now. Rejects with `STORAGE_UNAVAILABLE` (503). */
  readStore(signal: AbortSignal): Promise<StoreImage>;
  /**
   * Makes an empty folder beside what it is to replace, on the same disk. Stages that were not handed to {@link replace}
   * are removed at the next start.
   */
  stage(): Promise<string>;
  /**
   * Brings what is staged into the place of what is there. From the moment that it resolves it happens, also if the daemon
   * is killed at any step: it continues at the next start, before any plugin runs. For `replace` the daemon stops all
   * plugins, swaps folders by rename and starts again in the same process, on the same port; the caller is stopped with
   * them. For `merge` only the plugins whose records or files are staged stop meanwhile, and it resolves when that is over.
   *
   * Rejects with a TypeError for a stage that is not one, and for one to merge with records of the caller or of a plugin that the
   * caller needs. It leaves all as it is then.
   */
  replace(replacement: HomeReplacement): Promise<void>;
  /** The newest replacement that is over; `undefined` if there was none. */
  lastReplacement(): Promise<ReplacementResult | undefined>;
  /**
   * Starts a daemon with the same plugins on a copy of a home, in a process of its own, and stops it again. Its clock stands
   * still, and it neither starts programs nor calls out, so that nothing that is due there happens twice. An empty folder is a new
   * home. Gives how each plugin did, and what {@link recordVersions} is there.
   */
  rehearse(home: string, signal: AbortSignal): Promise<RehearsalOutcome>;
}
