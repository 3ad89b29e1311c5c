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
 * Remembers across starts which plugin's code ran when the daemon crashed, so that a plugin that crashes it is skipped in the
 * end. It is a plain file that is written at once, since it must survive the process.
 */
export interface CrashGuard {
  /** Why a plugin is skipped, `undefined` if it may start. */
  verdict(plugin: string): string | undefined;
  /** Notes the plugin whose code runs now; `null` once no plugin is starting. */
  running(plugin: string | null): void;
  /** Counts a crash that this plugin is known to have caused. */
  blame(plugin: string): void;
  /** Clears all counts after a successful start. */
  settled(): void;
  /** Clears the count of one plugin, so that it may start again. */
  forgive(plugin: string): void;
}

/** Opens the guard's file and counts the plugin that crashed the daemon during its last start. */
export function openCrashGuard(file: string): CrashGuard {
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
    verdict(plugin) {
      const times = counts.get(plugin) ?? 0;
      if (times < MAX_DEATHS) return undefined;
      return `it ended the daemon ${times} times right after its start; \`gantry plugins enable ${plugin}\` tries again`;
    },
    running(plugin) {
      deaths.current = plugin;
      write();
    },
    blame(plugin) {
      count(plugin);
      write();
    },
    settled() {
      deaths.current = null;
      // Skipped plugins stay skipped until `forgive`.
      for (const [plugin, times] of counts)
        if (times < MAX_DEATHS) counts.delete(plugin);
      write();
    },
    forgive(plugin) {
      counts.delete(plugin);
      write();
    },
  };
}

/** Finds the plugin that crashed a daemon during its first start, if it is known. */
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
    // No file yet, or one that was being written when the daemon crashed: no crashes are known.
    return { current: null, counts: new Map() };
  }
}
