import { MIN_MINUTES } from "../backup/scheduleWords.ts";
import type { SettingsInput, State, System } from "../wire.ts";

/** The settings as they are being changed. */
export interface Draft {
  folder: string;
  everyMinutes: number;
  keepDays: number;
  keepsWeekly: boolean;
  includeTranscripts: boolean;
  includeSecrets: boolean;
  isEncrypted: boolean;
  /** A passphrase is being given: the first one, or another one. */
  givesPassphrase: boolean;
  passphrase: string;
  repeated: string;
  /** The user says that the passphrase is kept somewhere else too. */
  isKept: boolean;
}

export type DraftField = keyof Draft;

export const MIN_PASSPHRASE = 8;
export const MAX_KEEP_DAYS = 3650;

/** What the form begins with. */
export function toDraft({ settings, isEncrypted }: State): Draft {
  return {
    ...settings,
    folder: settings.folder ?? "",
    isEncrypted,
    givesPassphrase: false,
    passphrase: "",
    repeated: "",
    isKept: false,
  };
}

/** What is wrong with a draft, by field, as far as the page can tell. */
export function findProblems(
  draft: Draft,
  system: System | undefined,
): Partial<Record<DraftField, string>> {
  const problems: Partial<Record<DraftField, string>> = {};
  const folder = toFolder(draft.folder, system);
  const home = system?.home;
  if (folder === "") problems.folder = "Enter a folder.";
  else if (!isAbsolute(folder))
    problems.folder = "Enter a full path, such as /mnt/disk/backups.";
  else if (home && (folder === home || folder.startsWith(`${home}/`)))
    problems.folder =
      "This is inside Gantry's own folder, and would be lost together with it.";
  if (!isWhole(draft.everyMinutes) || draft.everyMinutes < MIN_MINUTES)
    problems.everyMinutes = `Enter ${MIN_MINUTES} minutes or more.`;
  if (
    !isWhole(draft.keepDays) ||
    draft.keepDays < 1 ||
    draft.keepDays > MAX_KEEP_DAYS
  )
    problems.keepDays = `Enter a number from 1 to ${MAX_KEEP_DAYS}.`;
  if (draft.isEncrypted && draft.givesPassphrase) {
    if (draft.passphrase.length < MIN_PASSPHRASE)
      problems.passphrase = `Enter ${MIN_PASSPHRASE} characters or more.`;
    if (draft.repeated !== draft.passphrase)
      problems.repeated = "This is not the same passphrase.";
    if (!draft.isKept)
      problems.isKept = "Save the passphrase somewhere else first.";
  }
  return problems;
}

/** Body of the request that saves a draft. */
export function toInput(
  draft: Draft,
  state: State,
  system: System | undefined,
): SettingsInput {
  return {
    folder: toFolder(draft.folder, system),
    everyMinutes: draft.everyMinutes,
    keepDays: draft.keepDays,
    keepsWeekly: draft.keepsWeekly,
    includeTranscripts: draft.includeTranscripts,
    includeSecrets: draft.includeSecrets && draft.isEncrypted,
    ...(draft.isEncrypted && draft.givesPassphrase
      ? { passphrase: draft.passphrase }
      : {}),
    ...(!draft.isEncrypted && state.isEncrypted ? { passphrase: null } : {}),
  };
}

/** Tells whether saving a draft would change anything. */
export function isChanged(draft: Draft, state: State): boolean {
  const { passphrase, ...settings } = toInput(draft, state, undefined);
  const before: Readonly<Record<string, unknown>> = state.settings;
  return (
    passphrase !== undefined ||
    draft.givesPassphrase ||
    Object.entries(settings).some(([field, value]) => before[field] !== value)
  );
}

/** The folder of the user that Gantry runs for, as far as its home tells. */
export function toUserFolder(system: System | undefined): string | undefined {
  const own = system && /^(.+)\/\.[^/]+$/.exec(system.home);
  return own?.[1];
}

/** A folder as it is sent: without a slash at its end, and with `~` written out. */
function toFolder(text: string, system: System | undefined): string {
  const folder = text.replace(/(?<=.)\/+$/, "");
  const user = toUserFolder(system);
  return user && /^~(\/|$)/.test(folder) ? user + folder.slice(1) : folder;
}

function isAbsolute(folder: string): boolean {
  return folder.startsWith("/") || /^[a-z]:[\\/]/i.test(folder);
}

function isWhole(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value);
}
