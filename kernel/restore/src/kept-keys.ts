import { MACHINE_PREFIX } from "@gantry/plugin";

/** Keys of the store that a plugin or the kernel makes. What lies under others is not ours. */
const KEY = /^[\w%~@-]+(:[\w%~@-]+)+$/;

/** Whether a key is one that this store writes. */
export const isStoreKey = (key: string) => KEY.test(key);

/**
 * What belongs to the daemon and to the moment, so that no image has it, no stage brings it and a replacement leaves it:
 *
 * | Key                    | Why                                                                                   |
 * | ---------------------- | ------------------------------------------------------------------------------------- |
 * | `kernel:lease`         | Says who holds the store now.                                                         |
 * | `kernel:journal…`      | A batch that is being written; an image has all of it or nothing.                     |
 * | `kernel:event-floor`   | Where the events of the present state begin; each replacement writes it again.        |
 * | `kernel:idempotency:…` | Requests that were carried out. Their clients may still repeat them, and a replacement
 *                            takes back what they changed here, not what they did elsewhere.                         |
 *
 * The same goes for what plugins store of this machine, see {@link machinePrefixOf}.
 *
 * All others are content: the events with the cursors of durable listeners, which only make sense together; digests of
 * indexes, which tell whether the index entries that come with them fit; copies in quarantine, which are the only ones of
 * what they hold; and which folder's plugin stores under which id.
 */
const MOMENTARY = [
  "kernel:lease",
  "kernel:journal",
  "kernel:event-floor",
  "kernel:idempotency:",
];

/** Sessions of browsers, which a replacement keeps or ends but never brings. Who must pair is a setting, and is content. */
const SESSION_PREFIXES = [
  "auth:session:",
  "auth:session~",
  "kernel:collection:auth:session",
] as const;

/** Whether a key belongs to the sessions of browsers. */
export const isSession = (key: string) => hasPrefix(key, SESSION_PREFIXES);

/** What a replacement of the whole store leaves as it is, beside what plugins store of this machine. */
export const listKeptPrefixes = (keepsSessions: boolean): readonly string[] =>
  keepsSessions ? [...MOMENTARY, ...SESSION_PREFIXES] : MOMENTARY;

function hasPrefix(key: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => key.startsWith(prefix));
}

/** Begins the keys of what a plugin knows of this machine, which a replacement leaves as they are too. */
export const machinePrefixOf = (namespace: string) =>
  `${namespace}:${MACHINE_PREFIX}`;

/** Whether what lies under a key is part of an image. */
export const isContent = (key: string) =>
  isStoreKey(key) &&
  !hasPrefix(key, MOMENTARY) &&
  !isSession(key) &&
  !key.startsWith(MACHINE_PREFIX, key.indexOf(":") + 1);
