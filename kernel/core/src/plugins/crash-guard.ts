import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** A plugin that ended the daemon this many times right after its start is skipped at the next start. */
const MAX_DEATHS = 2;

interface Deaths {
  /** The plugin whose code was running when this was written. */
  current: string | null;
  counts: Map<string, number>;
}

/**
 * Remembers across starts which plugin's code ran when the daemon died, so that one that takes the daemon down is not
 * started for ever. A plain file, written at once: it must be there when the process is not.
 */
export type CrashGuard = ReturnType<typeof openCrashGuard>;

/** Opens the guard's file. What died in the middle of a start last time is counted now. */
export function openCrashGuard(file: string) {
  const deaths = read(file);
  const { counts } = deaths;
  const count = (plugin: string) => {
    counts.set(plugin, (counts.get(plugin) ?? 0) + 1);
    deaths.current = null;
  };
  if (deaths.current !== null) count(deaths.current);
  const write = () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const written = { ...deaths, counts: Object.fromEntries(counts) };
    writeFileSync(file, JSON.stringify(written), { mode: 0o600 });
  };
  write();
  return {
    /** Why a plugin is to be passed over, `undefined` if it may start. */
    verdict(plugin: string): string | undefined {
      const times = counts.get(plugin) ?? 0;
      if (times < MAX_DEATHS) return undefined;
      return `it ended the daemon ${times} times right after its start; \`gantry plugins enable ${plugin}\` tries again`;
    },
    /** Notes the plugin whose code runs now; `null` once no plugin is starting. */
    running(plugin: string | null): void {
      deaths.current = plugin;
      write();
    },
    /** Counts a death that is known to be this plugin's. */
    blame(plugin: string): void {
      count(plugin);
      write();
    },
    /** The start went well: forgets. */
    settled(): void {
      deaths.current = null;
      // Those passed over stay passed over until they are forgiven.
      for (const [plugin, times] of counts)
        if (times < MAX_DEATHS) counts.delete(plugin);
      write();
    },
    /** Gives a plugin another chance. */
    forgive(plugin: string): void {
      counts.delete(plugin);
      write();
    },
  };
}

/** The plugin that ended a daemon in the middle of its first start, as far as is known. */
export function readCulprit(file: string): string | undefined {
  const { current, counts } = read(file);
  return current ?? [...counts.keys()].at(-1);
}

function read(file: string): Deaths {
  try {
    const { current, counts } = JSON.parse(readFileSync(file, "utf8")) as {
      current?: unknown;
      counts?: Record<string, number>;
    };
    return {
      current: typeof current === "string" ? current : null,
      counts: new Map(Object.entries(counts ?? {})),
    };
  } catch {
    // No file yet, or one that was being written when the daemon died: no deaths are known.
    return { current: null, counts: new Map() };
  }
}
