/** A part of the workspace beside the conversation. */
export type PaneId = "changes" | "preview" | "terminal" | "files" | "history";

/** The parts, in the order of their tabs and of the keys Ctrl 1, Ctrl 2, … */
export const panes: readonly {
  id: PaneId;
  label: string;
  icon: string;
}[] = [
  { id: "changes", label: "Changes", icon: "i-lucide-file-diff" },
  { id: "preview", label: "Preview", icon: "i-lucide-app-window" },
  { id: "terminal", label: "Terminal", icon: "i-lucide-square-terminal" },
  { id: "files", label: "Files", icon: "i-lucide-folder-tree" },
  { id: "history", label: "History", icon: "i-lucide-git-graph" },
];

/** The part that an address names. */
export function toPane(name: unknown): PaneId | undefined {
  return panes.find(({ id }) => id === name)?.id;
}
