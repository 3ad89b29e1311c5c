import { statfs } from "node:fs/promises";
import type { AppBlock } from "../../contract.ts";
import { formatBytes } from "./format-bytes.ts";
import type { HomeUsage, Size } from "./home-usage.ts";
import type { RemainsHost } from "./remains.ts";

const MAX_BARS = 12;
const MAX_AGENTS = 50;

/** What is directly in a home, in words. */
const ENTRIES: Readonly<Record<string, string>> = {
  audit: "The audit log",
  cache: "What can be made again",
  "certificate.json": "The certificate for HTTPS",
  "config.json": "The configuration",
  data: "Files of plugins",
  machine: "Files of plugins that are in no backup",
  plugins: "Plugins that were added",
  token: "The token of the command line",
  processes: "What is needed to find processes after a crash",
  work: "Folders of agents that belong to no project",
};

type Chart = Extract<AppBlock, { type: "chart" }>;

/** How full the disk is; nothing where the system does not say. */
export async function readRoom(home: string): Promise<Chart[]> {
  const stats = await statfs(home).catch(() => undefined);
  if (!stats || stats.blocks === 0) return [];
  const { blocks, bavail, bsize } = stats;
  return [
    {
      type: "chart",
      kind: "gauge",
      title: "Used on the disk of the home",
      unit: "bytes",
      value: (blocks - bavail) * bsize,
      max: blocks * bsize,
    },
  ];
}

/** The store by plugin. */
export function toStore({ store }: HomeUsage): Chart {
  const sizes = bySize(store);
  const shown = sizes.slice(0, MAX_BARS);
  const others = sizes.slice(MAX_BARS);
  const labels = shown.map(([name]) => name);
  const values = shown.map(([, { bytes }]) => bytes);
  if (others.length > 0) {
    labels.push("Others");
    values.push(others.reduce((sum, [, { bytes }]) => sum + bytes, 0));
  }
  return {
    type: "chart",
    kind: "bars",
    title: "Records in the store, by plugin",
    unit: "bytes",
    labels,
    series: labels.length > 0 ? [{ label: "Size", values }] : [],
    empty: "The store has not been counted yet.",
  };
}

const sizeColumns = [
  { key: "size", label: "Size", align: "end" as const },
  { key: "count", label: "Files", align: "end" as const, isMinor: true },
];
const bySizeFirst = { key: "size", isDescending: true };
const toCells = ({ bytes, count }: Size) => ({ size: { bytes }, count });

/** What is directly in the home. */
export function toEntries({ entries }: HomeUsage): AppBlock {
  return {
    type: "table",
    title: "In the home",
    columns: [
      { key: "name", label: "Name" },
      { key: "about", label: "What it is", isMinor: true },
      ...sizeColumns,
    ],
    rows: bySize(entries).map(([name, size]) => ({
      id: name.slice(0, 500),
      cells: { name, about: describeEntry(name), ...toCells(size) },
    })),
    sort: bySizeFirst,
    empty: "Nothing has been counted yet.",
  };
}

function describeEntry(name: string): string {
  if (name.startsWith("store.")) return "The store";
  return Object.hasOwn(ENTRIES, name) ? ENTRIES[name]! : "";
}

/** Files by plugin. */
export function toPlugins({ plugins }: HomeUsage): AppBlock {
  return {
    type: "table",
    title: "Files of plugins",
    columns: [{ key: "plugin", label: "Plugin" }, ...sizeColumns],
    rows: bySize(plugins).map(([plugin, size]) => ({
      id: plugin.slice(0, 500),
      cells: { plugin, ...toCells(size) },
    })),
    sort: bySizeFirst,
    empty: "No plugin has files.",
  };
}

/** Files by agent, each with the way to its page. */
export async function toAgents(
  agents: HomeUsage["agents"],
  { messages }: RemainsHost,
  signal: AbortSignal,
): Promise<AppBlock> {
  const largest = bySize(agents).slice(0, MAX_AGENTS);
  const service = messages();
  const rows = await Promise.all(
    largest.map(async ([agentId, size]) => {
      const known = await service?.describe({ agentId }, signal);
      const agent = known
        ? { text: known.name.slice(0, 300), page: `/agents/${agentId}` }
        : service
          ? "Deleted agent"
          : agentId;
      return { id: agentId, cells: { agent, ...toCells(size) } };
    }),
  );
  return {
    type: "table",
    title: "Files of agents",
    columns: [{ key: "agent", label: "Agent" }, ...sizeColumns],
    rows,
    sort: bySizeFirst,
    isSearchable: rows.length > 10,
    empty: "No agent has files.",
  };
}

/** What can be removed, and what it would free. */
export function toCleaning(sizes: {
  caches: Size;
  orphans: Size | undefined;
  quarantine: Size;
}): AppBlock {
  const { caches, orphans, quarantine } = sizes;
  return {
    type: "list",
    title: "Clean up",
    columns: [
      { key: "more", label: "More" },
      { key: "size", label: "Size", align: "end" },
    ],
    rows: [
      {
        id: "cache",
        title: "Style sheets of pages",
        detail: "Made again when the next page is opened.",
        icon: "i-lucide-brush",
        cells: { size: { bytes: caches.bytes } },
        actions: [
          {
            label: "Clear cache",
            action: "clear-cache",
            isDisabled: caches.count === 0,
          },
        ],
      },
      ...(orphans ? [toOrphanRow(orphans)] : []),
      {
        id: "quarantine",
        title: "Copies of damaged records",
        detail: `${quarantine.count} in quarantine. Look at them under Security before you delete any.`,
        icon: "i-lucide-shield-alert",
        cells: {
          size: { bytes: quarantine.bytes },
          more: { text: "Security", page: "/settings/security" },
        },
      },
    ],
  };
}

function describeOrphans(count: number): string {
  if (count === 0) return "There are none.";
  return count === 1
    ? "1 conversation was kept when its agent was deleted."
    : `${count} conversations were kept when their agents were deleted.`;
}

function toOrphanRow({ bytes, count }: Size) {
  const conversations =
    count === 1 ? "1 conversation" : `${count} conversations`;
  return {
    id: "conversations",
    title: "Conversations of deleted agents",
    detail: describeOrphans(count),
    icon: "i-lucide-message-square-off",
    cells: { size: { bytes } },
    actions: [
      {
        label: "Delete conversations",
        action: "remove-conversations",
        confirm: `This deletes ${conversations} (${formatBytes(bytes)}). Only a backup can bring them back.`,
        isDanger: true,
        isDisabled: count === 0,
      },
    ],
  };
}

/** The largest first. */
function bySize(sizes: ReadonlyMap<string, Size>): [string, Size][] {
  return [...sizes].sort(([, one], [, other]) => other.bytes - one.bytes);
}
