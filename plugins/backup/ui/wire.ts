// Types only: what the server sends can then not be something else here, and its schemas stay out of the bundle.
export type {
  BackupJob as Job,
  BackupProblem as Problem,
  BackupSettings as Settings,
  BackupState as State,
  RestorePart as PreviewPart,
  RestorePreview as Preview,
  Snapshot,
  SnapshotPart,
} from "../src/contract.ts";
export type { NowAnswer, SettingsInput } from "../src/routes/inputs.ts";

/** What is restored, and from which snapshot. */
export interface RestoreChoice {
  id: string;
  /** Names of parts; left out for everything. */
  only?: readonly string[];
  passphrase?: string;
}

/** What is needed of `GET /api/system`. */
export interface System {
  home: string;
  platform: string;
}
