import { useToast, type CommandDefinition } from "@gantry/ui-kit";

/** What the command palette can do with backups. */
export const commands: readonly CommandDefinition[] = [
  {
    id: "backup:create-snapshot",
    label: "Back up now",
    icon: "i-lucide-archive",
    keywords: ["snapshot", "save", "copy"],
    async run({ router }) {
      const toast = useToast();
      // The page shows how far it is, and asks for a folder where none is chosen.
      void router.push("/backup");
      try {
        // With the page, so that the entry, which every page of the app loads, stays small.
        const { backUpNow } = await import("./backup/calls.ts");
        await backUpNow(false);
        toast.success("Backed up");
      } catch (thrown) {
        toast.failure("Not backed up", thrown);
      }
    },
  },
  {
    id: "backup:restore-snapshot",
    label: "Restore from a snapshot",
    icon: "i-lucide-archive-restore",
    keywords: ["backup", "bring back", "undo", "recover"],
    to: "/backup/restore",
  },
  {
    id: "backup:open-settings",
    label: "Backup settings",
    icon: "i-lucide-settings-2",
    keywords: ["schedule", "folder", "passphrase", "encryption", "retention"],
    to: "/backup/settings",
  },
];
