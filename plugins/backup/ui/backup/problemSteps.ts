/** A page on which a problem can be put right. */
export interface NextStep {
  label: string;
  icon: string;
  to: string;
}

const folder = (label: string): NextStep => ({
  label,
  icon: "i-lucide-folder",
  to: "/backup/settings",
});
const passphrase = (label: string): NextStep => ({
  label,
  icon: "i-lucide-key-round",
  to: "/backup/settings#encryption",
});
const steps: Readonly<Record<string, readonly NextStep[]>> = {
  BACKUP_FOLDER_MISSING: [folder("Choose a folder")],
  BACKUP_FOLDER_INVALID: [folder("Choose another folder")],
  BACKUP_FOLDER_UNAVAILABLE: [folder("Choose another folder")],
  BACKUP_DISK_FULL: [
    folder("Choose another folder"),
    {
      label: "Keep fewer snapshots",
      icon: "i-lucide-list-minus",
      to: "/backup/settings#keep",
    },
  ],
  BACKUP_PASSPHRASE_MISSING: [passphrase("Enter the passphrase")],
  BACKUP_PASSPHRASE_WRONG: [passphrase("Enter the passphrase")],
  BACKUP_SECRETS_PLAIN: [passphrase("Set a passphrase")],
};

/** Where to put a problem right, besides backing up again. The likeliest first. */
export function nextStepsOf(code: string): readonly NextStep[] {
  return Object.hasOwn(steps, code) ? steps[code]! : [];
}
