import type { AppBlock, AppView } from "../../../src/contract.ts";

/** Pages that show every block with realistic content. */
const at = (minutes: number) =>
  new Date(Date.UTC(2026, 5, 1, 12) + minutes * 60_000).toISOString();

const programs = ["node", "claude", "git", "esbuild", "pi", "docker-proxy"];

/** A table of many rows. */
export function makeProcesses(count: number): AppBlock {
  return {
    type: "table",
    title: "Processes",
    isSearchable: true,
    sort: { key: "cpu", isDescending: true },
    selection: [
      {
        label: "Stop selected",
        icon: "i-lucide-square",
        action: "stop",
        isDanger: true,
        confirm: "The selected processes end at once.",
      },
    ],
    columns: [
      { key: "name", label: "Name" },
      { key: "pid", label: "PID", align: "end", isMinor: true },
      { key: "state", label: "State" },
      { key: "cpu", label: "CPU", align: "end" },
      { key: "memory", label: "Memory", align: "end" },
      { key: "started", label: "Started", isMinor: true },
      { key: "owner", label: "Owner", isMinor: true },
    ],
    rows: Array.from({ length: count }, (_, index) => ({
      id: `p${index}`,
      path: `process/${index}`,
      icon: index % 3 === 0 ? "i-lucide-cpu" : "i-lucide-terminal",
      tone: index % 7 === 3 ? ("failed" as const) : ("neutral" as const),
      cells: {
        name: `${programs[index % programs.length]} ${index}`,
        pid: 4000 + index,
        state:
          index % 7 === 3
            ? { text: "Stopped", tone: "failed" as const }
            : { text: "Running", tone: "success" as const },
        cpu: { percent: ((index * 37) % 1000) / 10 },
        memory: { bytes: ((index * 7919) % 900) * 1_000_000 + 4096 },
        started: { time: at(-index) },
        owner:
          index % 4 === 0
            ? { text: "Ada", page: "/agents" }
            : index % 4 === 1
              ? null
              : { text: "docs", url: "https://example.com/docs" },
      },
      actions: [
        {
          label: "Stop",
          icon: "i-lucide-square",
          action: "stop",
          isDanger: true,
          confirm: `Process ${4000 + index} ends at once.`,
        },
        { label: "Restart", icon: "i-lucide-rotate-cw", action: "restart" },
      ],
    })),
  };
}

export const containers: AppBlock = {
  type: "list",
  title: "Containers",
  isSearchable: true,
  columns: [
    { key: "state", label: "State" },
    { key: "size", label: "Size", align: "end" },
    { key: "since", label: "Since", isMinor: true },
  ],
  rows: [
    "postgres",
    "redis",
    "a-container-with-quite-a-long-name-that-does-not-fit",
    "mailpit",
    "minio",
  ].map((name, index) => ({
    id: name,
    title: name,
    detail: `docker.io/library/${name}:${index + 12}`,
    icon: "i-lucide-container",
    tone: index === 1 ? ("attention" as const) : ("success" as const),
    path: `container/${name}`,
    cells: {
      state:
        index === 1
          ? { text: "Restarting", tone: "attention" as const }
          : { text: "Up", tone: "success" as const },
      size: { bytes: 120_000_000 * (index + 1) },
      since: { time: at(-60 * index) },
    },
    actions: [
      { label: "Stop", icon: "i-lucide-square", action: "stop" },
      { label: "Logs", icon: "i-lucide-scroll-text", path: "log" },
    ],
  })),
};

export const form: AppBlock = {
  type: "form",
  title: "Settings",
  action: "save",
  submit: "Save settings",
  fields: [
    {
      type: "text",
      name: "title",
      label: "Title",
      isRequired: true,
      hint: "Shown in the list.",
      value: "Shop",
    },
    { type: "text", name: "notes", label: "Notes", isLong: true },
    {
      type: "number",
      name: "limit",
      label: "Limit",
      min: 1,
      max: 100,
      step: 1,
      value: 10,
      isRequired: true,
    },
    {
      type: "choice",
      name: "level",
      label: "Level",
      isRequired: true,
      choices: [
        { value: "low", label: "Low" },
        { value: "high", label: "High" },
      ],
    },
    { type: "folder", name: "folder", label: "Folder" },
    { type: "secret", name: "token", label: "Token" },
    {
      type: "switch",
      name: "enabled",
      label: "Enabled",
      hint: "Takes effect at once.",
      value: true,
    },
  ],
};

export const charts: AppBlock[] = [
  {
    type: "chart",
    title: "CPU",
    kind: "lines",
    unit: "percent",
    times: Array.from({ length: 60 }, (_, index) => at(index / 30)),
    series: [
      {
        label: "Daemon",
        values: Array.from({ length: 60 }, (_, index) =>
          index > 20 && index < 26 ? null : 20 + 15 * Math.sin(index / 6),
        ),
      },
      {
        label: "Agents",
        values: Array.from(
          { length: 60 },
          (_, index) => 45 + 30 * Math.cos(index / 9),
        ),
      },
    ],
  },
  {
    type: "chart",
    title: "Requests",
    kind: "bars",
    times: Array.from({ length: 24 }, (_, index) => at(index * 60)),
    series: [
      {
        label: "Done",
        tone: "success",
        values: Array.from({ length: 24 }, (_, index) => (index * 13) % 29),
      },
      {
        label: "Failed",
        tone: "failed",
        values: Array.from({ length: 24 }, (_, index) => (index * 7) % 5),
      },
    ],
  },
  {
    type: "chart",
    title: "Size by folder",
    kind: "bars",
    unit: "bytes",
    labels: [
      "transcripts",
      "attachments",
      "store",
      "a folder with a very long name that is cut",
    ],
    series: [
      { label: "Size", values: [820_000_000, 210_000_000, 64_000_000, 900] },
    ],
  },
  {
    type: "chart",
    title: "Memory",
    kind: "gauge",
    unit: "bytes",
    value: 5_400_000_000,
    max: 16_000_000_000,
  },
];

export const log: AppBlock = {
  type: "log",
  title: "Log",
  lines: Array.from({ length: 200 }, (_, index) => ({
    text:
      index % 17 === 5
        ? `The request ${index} failed: the terminal is gone, which is why it has no answer`
        : `request ${index} GET /api/agents 200 4 ms`,
    time: at(index / 60),
    tone: index % 17 === 5 ? ("failed" as const) : ("neutral" as const),
  })),
};

const tabs = [
  { label: "Overview", path: "gallery" },
  { label: "Rows", path: "gallery/rows" },
  { label: "Charts", path: "gallery/charts" },
  { label: "Form", path: "gallery/form" },
];

/** Pages by their path. */
export const gallery: Readonly<Record<string, () => AppView>> = {
  gallery: () => ({
    title: "Gallery",
    description: "What the shop runs on, and what can be done about it.",
    tabs,
    actions: [
      { label: "Refresh", icon: "i-lucide-refresh-cw", action: "refresh" },
      { label: "Settings", icon: "i-lucide-settings-2", path: "gallery/form" },
      {
        label: "Remove everything",
        icon: "i-lucide-trash-2",
        action: "remove",
        isDanger: true,
        confirm: "All containers are removed, with what is in them.",
      },
      { label: "Export", action: "export" },
    ],
    blocks: [
      {
        type: "split",
        blocks: [
          {
            type: "detail",
            title: "Engine",
            facts: [
              { label: "Version", value: "27.3.1" },
              { label: "Containers", value: 1234 },
              { label: "Healthy", value: true },
              { label: "State", value: { text: "Up", tone: "success" } },
              { label: "Disk", value: { bytes: 12_400_000_000 } },
              { label: "Load", value: { percent: 12.34 } },
              { label: "Uptime", value: { milliseconds: 7_384_000 } },
              { label: "Proxy", value: null },
              { label: "Log", value: { text: "Open the log", path: "log" } },
              {
                label: "Manual",
                value: {
                  text: "docs.docker.com",
                  url: "https://docs.docker.com/",
                },
              },
            ],
          },
          {
            type: "stack",
            title: "Notes",
            blocks: [
              {
                type: "markdown",
                text: "The engine runs **rootless**. See `docker info`.\n\n- one\n- two\n",
              },
              {
                type: "actions",
                buttons: [
                  {
                    label: "Start all",
                    icon: "i-lucide-play",
                    action: "start",
                  },
                  {
                    label: "Clean up",
                    action: "clean",
                    isDanger: true,
                    confirm: "Images without a container are removed.",
                  },
                  { label: "Not now", action: "never", isDisabled: true },
                ],
              },
            ],
          },
        ],
      },
      containers,
    ],
  }),
  "gallery/rows": () => ({
    title: "Rows",
    tabs,
    parent: { label: "Gallery", path: "gallery" },
    blocks: [makeProcesses(1200)],
  }),
  "gallery/charts": () => ({
    title: "Charts",
    tabs,
    layout: "split",
    blocks: charts,
  }),
  "gallery/form": () => ({
    title: "Form",
    tabs,
    blocks: [
      {
        type: "tabs",
        tabs: [
          { name: "settings", label: "Settings", blocks: [form] },
          { name: "log", label: "Log", blocks: [log] },
        ],
      },
    ],
  }),
};
