import { useToast, type CommandDefinition } from "@gantry/ui-kit";
import { backUpNow } from "./backup/calls.ts";

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
