import type { StoreImage } from "@gantry/plugin";
import { walkFiles } from "./walk-files.ts";

/** How much something holds. */
export interface Size {
  bytes: number;
  /** Files or records. */
  count: number;
}

/** What a home holds, as far as it was measured. */
export interface HomeUsage {
  /** By name, directly in the home. */
  entries: Map<string, Size>;
  /** Files by plugin. */
  plugins: Map<string, Size>;
  /** Files by agent, of whichever plugin. */
  agents: Map<string, Size>;
  /** Records of the store by namespace. */
  store: Map<string, Size>;
  /** Copies of damaged records, which are in the store too. */
  quarantine: Size;
}

/** Folders of the plugins' files in a home. */
const PLUGIN_FOLDERS: readonly string[] = ["data", "machine"];
const AGENT_ID = /^(agt_[a-z2-7]{24})(?:\.|$)/;
const QUARANTINE = "kernel:quarantine:";

/** A usage of nothing, to be filled in by the measurements. */
export function createUsage(): HomeUsage {
  return {
    entries: new Map(),
    plugins: new Map(),
    agents: new Map(),
    store: new Map(),
    quarantine: { bytes: 0, count: 0 },
  };
}

/** Adds up the files of a home. Ends early when the signal aborts. */
export async function measureFiles(
  usage: HomeUsage,
  home: string,
  signal: AbortSignal,
): Promise<void> {
  for await (const files of walkFiles(home, signal)) {
    for (const { parts, bytes } of files) {
      const [entry = "", plugin] = parts;
      add(usage.entries, entry, bytes);
      if (
        PLUGIN_FOLDERS.includes(entry) &&
        plugin !== undefined &&
        parts.length > 2
      )
        add(usage.plugins, plugin, bytes);
      const agent = findAgent(parts);
      if (agent !== undefined) add(usage.agents, agent, bytes);
    }
  }
}

/** Adds up the records of a store. Ends early when the signal aborts. */
export async function measureStore(
  usage: HomeUsage,
  readStore: (signal: AbortSignal) => Promise<StoreImage>,
  signal: AbortSignal,
): Promise<void> {
  const image = await readStore(signal);
  try {
    for await (const { name, entries } of image.namespaces) {
      for await (const batch of entries) {
        if (signal.aborted) return;
        for (const { key, text } of batch) {
          const bytes = key.length + text.length;
          add(usage.store, name, bytes);
          if (!key.startsWith(QUARANTINE)) continue;
          usage.quarantine.bytes += bytes;
          usage.quarantine.count++;
        }
      }
    }
  } finally {
    await image.close();
  }
}

function add(sizes: Map<string, Size>, name: string, bytes: number): void {
  const size = sizes.get(name) ?? { bytes: 0, count: 0 };
  size.bytes += bytes;
  size.count++;
  sizes.set(name, size);
}

/** The agent that a file belongs to: its id is the name of the file, or of a folder on the way to it. */
function findAgent(parts: readonly string[]): string | undefined {
  for (const part of parts) {
    const id = AGENT_ID.exec(part)?.[1];
    if (id !== undefined) return id;
  }
  return undefined;
}
