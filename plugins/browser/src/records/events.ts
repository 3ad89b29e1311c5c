import { defineEvent } from "@gantry/plugin";

/** What happened to a record; `cleared` stands for the removal of several records. */
export interface RecordChange {
  change: "added" | "changed" | "removed" | "cleared";
}

export const AnnotationsChanged = defineEvent<RecordChange>(
  "browser.annotations-changed",
  "An annotation was added, sent or deleted.",
);
export const DownloadsChanged = defineEvent<RecordChange>(
  "browser.downloads-changed",
  "A download began, moved on, ended or was removed from the list.",
);
export const HistoryChanged = defineEvent<RecordChange>(
  "browser.history-changed",
  "A page was visited, or visits were removed.",
);
export const PermissionsChanged = defineEvent<RecordChange>(
  "browser.permissions-changed",
  "A permission of a site was decided or removed.",
);
export const PoliciesChanged = defineEvent<RecordChange>(
  "browser.policies-changed",
  "What an agent may do in the browser was changed.",
);
export const TabsChanged = defineEvent<Record<string, never>>(
  "browser.tabs-changed",
  "Tabs of a browser came, went or show another page.",
);

/** Subject of events that are about several records. */
export const ALL = "all";

/** The events of the records. */
export const recordEvents = [
  AnnotationsChanged,
  DownloadsChanged,
  HistoryChanged,
  PermissionsChanged,
  PoliciesChanged,
] as const;
