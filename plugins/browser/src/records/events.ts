import { defineEvent } from "@gantry/plugin";

/** What happened to a record; `cleared` stands for the removal of several records, with the subject `all`. */
export interface RecordChange {
  change: "added" | "changed" | "removed" | "cleared";
}

/** An annotation was added, sent or removed; the subject is its id. */
export const AnnotationsChanged = defineEvent<RecordChange>(
  "browser.annotations-changed",
  "An annotation was added, sent to an agent or removed.",
);
/** A download was added, changed or removed; the subject is its id, or `all`. */
export const DownloadsChanged = defineEvent<RecordChange>(
  "browser.downloads-changed",
  "A download began, progressed, ended or was removed from the list.",
);
/** A visit was added, changed or removed; the subject is its id, or `all`. */
export const HistoryChanged = defineEvent<RecordChange>(
  "browser.history-changed",
  "A page was visited, or visits were removed.",
);
/** A permission was added, changed or removed; the subject is its id, or `all`. */
export const PermissionsChanged = defineEvent<RecordChange>(
  "browser.permissions-changed",
  "A permission of a site was decided or removed.",
);
/** A policy was added, changed or removed; the subject is the id of its agent. */
export const PoliciesChanged = defineEvent<RecordChange>(
  "browser.policies-changed",
  "What an agent may do in a browser was changed.",
);

/** The events of the records. */
export const recordEvents = [
  AnnotationsChanged,
  DownloadsChanged,
  HistoryChanged,
  PermissionsChanged,
  PoliciesChanged,
] as const;
