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
  BACKUP_SECRETS_PLAIN: [
    {
      label: "Set a passphrase",
      icon: "i-lucide-key-round",
      to: "/backup/settings#encryption",
    },
  ],
};

/** Where to put a problem right, besides backing up again. The likeliest first. */
export function nextStepsOf(code: string): readonly NextStep[] {
  return Object.hasOwn(steps, code) ? steps[code]! : [];
}
