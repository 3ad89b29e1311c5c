import { describeError, type Log, type LogFields } from "@gantry/plugin";
import { BackupChanged, type BackupSettings } from "../contract.ts";
import { errors } from "../errors.ts";
import { createTurns } from "../jobs/turns.ts";
import { createEncryption, type EncryptionHost } from "../keys/encryption.ts";
import type { SettingsInput } from "../routes/inputs.ts";
import type { StoredSettings, StoredValue } from "./backup-record.ts";
import { prepareFolder, type CopiedFolders } from "./check-folder.ts";
import { writeSettingsCopy } from "./settings-copy.ts";

/** The settings, and how they are changed. */
export interface SettingsBook {
  readonly current: StoredSettings;
  /**
   * Saves what is given; the rest stays as it is.
   *
   * @throws BACKUP_FOLDER_INVALID, BACKUP_FOLDER_MISSING for a passphrase without a folder, BACKUP_SECRETS_PLAIN, and what the
   *   key of the folder throws. Nothing is saved then.
   */
  change(input: SettingsInput): Promise<void>;
  /** Writes them for the command line, which finds them while no daemon runs. Rejects never. */
  copy(): Promise<void>;
}

/** Dependencies of {@link createSettingsBook}. */
export interface SettingsHost extends EncryptionHost {
  settings: StoredValue<StoredSettings>;
  copied: CopiedFolders;
  /** The plugin's own folder. */
  folder: string;
  log: Log;
  /** A folder was chosen, the same one again or another one. */
  onFolderChosen(isOther: boolean): Promise<void>;
  audit(action: string, details: LogFields): Promise<void>;
}

/** Makes the book of settings that were read before. */
export function createSettingsBook(host: SettingsHost): SettingsBook {
  const { settings, copied, folder, log } = host;
  const encryption = createEncryption(host);
  const turns = createTurns();

  async function change(input: SettingsInput): Promise<void> {
    const { passphrase, ...given } = input;
    const before = settings.value;
    const next: StoredSettings = { ...before, ...withoutUndefined(given) };
    const isEncrypted =
      passphrase === undefined
        ? before.recipient !== null
        : passphrase !== null;
    if (next.includeSecrets && !isEncrypted)
      throw errors.BACKUP_SECRETS_PLAIN();
    if (typeof passphrase === "string" && next.folder === null)
      throw errors.BACKUP_FOLDER_MISSING();
    if (typeof given.folder === "string")
      next.folder = await prepareFolder(given.folder, copied);
    next.recipient = await encryption.choose(before, next.folder, passphrase);

    await settings.change(next, [
      BackupChanged.of("settings", toPublicSettings(next)),
    ]);
    await copy();
    if (typeof given.folder === "string")
      await host.onFolderChosen(next.folder !== before.folder);
    await audit(before, next, typeof passphrase === "string");
  }

  async function copy(): Promise<void> {
    await writeSettingsCopy(folder, settings.value).catch((error: unknown) =>
      log.warn("Settings were not copied for the command line", {
        reason: describeError(error),
      }),
    );
  }

  async function audit(
    before: StoredSettings,
    next: StoredSettings,
    isPassphraseSet: boolean,
  ): Promise<void> {
    if (before.folder !== next.folder)
      await host.audit("backup.folder-changed", {
        folder: next.folder ?? "none",
      });
    if (isPassphraseSet) await host.audit("backup.passphrase-set", {});
    if (before.recipient !== null && next.recipient === null)
      await host.audit("backup.encryption-ended", {});
  }

  return {
    copy,
    get current() {
      return settings.value;
    },
    // Each begins with what the one before saved.
    change: (input) => turns.take(() => change(input)),
  };
}

/** The settings as clients see them. */
export function toPublicSettings({
  recipient: _,
  ...settings
}: StoredSettings): BackupSettings {
  return settings;
}

function withoutUndefined<Value extends object>(value: Value): Partial<Value> {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  ) as Partial<Value>;
}
