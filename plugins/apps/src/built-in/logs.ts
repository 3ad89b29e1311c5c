import type { DaemonLogLine, PluginContext } from "@gantry/plugin";
import * as z from "zod";
import type { App, AppBlock, AppView } from "../contract.ts";

const LEVELS = ["debug", "info", "warn", "error"] as const;
const LEVEL_LABELS = {
  debug: "All lines",
  info: "Info and above",
  warn: "Warnings and errors",
  error: "Errors",
};
const TONES = {
  debug: "neutral",
  info: "neutral",
  warn: "attention",
  error: "failed",
} as const;

const MAX_LINES = 1_000;
const MAX_LINE_LENGTH = 4_000;
/** Room for the lines of a page, which has a limit as a whole. */
const MAX_CHARACTERS = 400_000;
/** With the tab of all owners. */
const MAX_OWNERS = 11;
const REFRESH_MS = 2_000;
const BADGE_WINDOW_MS = 60 * 60 * 1000;

const filterSchema = z.object({
  level: z.enum(LEVELS).catch("debug"),
  q: z.string().trim().max(200).catch(""),
  owner: z.string().max(100).catch(""),
});
type Filter = z.infer<typeof filterSchema>;
type LogLine = Extract<AppBlock, { type: "log" }>["lines"][number];

/** Dependencies of {@link createLogsApp}. */
export type LogsHost = Pick<PluginContext, "daemon" | "clock">;

/** Shows the log of the daemon since it started, with filters in the path: `level=warn&owner=agents&q=git`. */
export function createLogsApp({ daemon, clock }: LogsHost): App {
  return {
    id: "logs",
    name: "Logs",
    icon: "i-lucide-scroll-text",
    summary: "What the daemon and its plugins have logged since it started.",
    badge() {
      const since = new Date(clock.now() - BADGE_WINDOW_MS).toISOString();
      const count = daemon
        .logLines()
        .filter(({ level, at }) => level === "error" && at >= since).length;
      if (count === 0) return Promise.resolve(null);
      return Promise.resolve({
        text: count > 99 ? "99+" : String(count),
        tone: "failed",
        label: `${count === 1 ? "1 error" : `${count} errors`} in the last hour`,
      });
    },
    view: ({ path }) =>
      Promise.resolve(render(daemon.logLines(), parseFilter(path))),
    action: ({ path, args }) =>
      Promise.resolve({
        path: toPath(
          filterSchema.parse({
            ...parseFilter(path),
            ...toObject(args.values),
          }),
        ),
      }),
  };
}

function parseFilter(path: string): Filter {
  return filterSchema.parse(Object.fromEntries(new URLSearchParams(path)));
}

function toPath(filter: Filter): string {
  const search = new URLSearchParams();
  if (filter.level !== "debug") search.set("level", filter.level);
  if (filter.owner) search.set("owner", filter.owner);
  if (filter.q) search.set("q", filter.q);
  return search.toString();
}

const toObject = (value: unknown): object =>
  typeof value === "object" && value !== null ? value : {};

function render(lines: readonly DaemonLogLine[], filter: Filter): AppView {
  const lowest = LEVELS.indexOf(filter.level);
  const sought = filter.q.toLowerCase();
  const found: LogLine[] = [];
  let room = MAX_CHARACTERS;
  // From the newest on, which are wanted most when there is no room for all.
  for (const line of lines.toReversed()) {
    if (LEVELS.indexOf(line.level) < lowest) continue;
    if (filter.owner && line.owner !== filter.owner) continue;
    const text = toText(line);
    if (sought && !text.toLowerCase().includes(sought)) continue;
    room -= text.length;
    if (room < 0 || found.length === MAX_LINES) break;
    found.push({ text, time: line.at, tone: TONES[line.level] });
  }
  return {
    title: "Logs",
    description: "The newest lines since the daemon started.",
    tabs: toTabs(lines, filter),
    blocks: [
      toForm(filter),
      {
        type: "log",
        lines: found.reverse(),
        empty: "No line fits this filter.",
      },
    ],
    refreshMs: REFRESH_MS,
  };
}

/** The owners of lines, those with the most of them first. */
function toTabs(lines: readonly DaemonLogLine[], filter: Filter) {
  const counts = new Map<string, number>();
  for (const { owner } of lines)
    counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const owners = [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, MAX_OWNERS)
    .map(([owner]) => owner);
  if (filter.owner && !owners.includes(filter.owner))
    owners[Math.min(owners.length, MAX_OWNERS - 1)] = filter.owner;
  return ["", ...owners.sort()].map((owner) => ({
    label: owner || "All",
    path: toPath({ ...filter, owner }),
  }));
}

function toForm({ level, q }: Filter): AppBlock {
  return {
    type: "form",
    action: "filter",
    submit: "Filter lines",
    fields: [
      {
        type: "choice",
        name: "level",
        label: "Level",
        value: level,
        choices: LEVELS.map((value) => ({ value, label: LEVEL_LABELS[value] })),
      },
      { type: "text", name: "q", label: "Text", value: q },
    ],
  };
}

function toText({ owner, message, fields }: DaemonLogLine): string {
  const more = Object.entries(fields).map(
    ([name, value]) =>
      `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const text = [`${owner}: ${message}`, ...more].join(" ");
  return text.length > MAX_LINE_LENGTH
    ? `${text.slice(0, MAX_LINE_LENGTH - 1)}…`
    : text;
}
