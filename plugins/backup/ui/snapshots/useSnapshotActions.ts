import {
  ApiError,
  copyText,
  formatDateTime,
  useConfirm,
  useToast,
} from "@gantry/ui-kit";
import { deleteSnapshot, revealSnapshot } from "../backup/calls.ts";
import type { Snapshot } from "../wire.ts";

/** What can be done with one snapshot besides restoring and proving it. */
export function useSnapshotActions(refresh: () => Promise<void>) {
  const toast = useToast();
  const confirm = useConfirm();
  const nameOf = ({ createdAt }: Snapshot) =>
    formatDateTime(createdAt, Date.now());

  async function reveal({ id }: Snapshot): Promise<void> {
    try {
      const { opened, path } = await revealSnapshot(id);
      if (!opened)
        toast.show({
          title: "There is no file manager to open it",
          detail: path,
        });
    } catch (thrown) {
      toast.failure("The folder was not opened", thrown);
    }
  }

  async function copyPath({ path }: Snapshot): Promise<void> {
    try {
      await copyText(path);
      toast.success("Path copied", path);
    } catch (thrown) {
      toast.failure("The path was not copied", thrown);
    }
  }

  /** Resolves with whether it is gone. */
  async function tryToDelete(
    snapshot: Snapshot,
    confirmed: boolean,
  ): Promise<boolean> {
    try {
      await deleteSnapshot(snapshot.id, confirmed);
      toast.success(`The snapshot of ${nameOf(snapshot)} was deleted`);
      await refresh();
      return true;
    } catch (thrown) {
      const isLastGood =
        thrown instanceof ApiError && thrown.code === "BACKUP_LAST_GOOD";
      if (isLastGood && !confirmed) return false;
      toast.failure("The snapshot was not deleted", thrown);
      return true;
    }
  }

  async function remove(snapshot: Snapshot): Promise<void> {
    const isSure = await confirm({
      title: `Delete the snapshot of ${nameOf(snapshot)}?`,
      body: "It cannot be restored afterwards. Other snapshots stay whole.",
      action: "Delete",
      tone: "failed",
    });
    if (!isSure || (await tryToDelete(snapshot, false))) return;
    const isVerySure = await confirm({
      title: "Delete your newest good snapshot?",
      body: "Without it, the newest state of your data that can be restored is an older one, or none at all.",
      action: "Delete it all the same",
      cancel: "Keep it",
      tone: "failed",
      type: "delete",
    });
    if (isVerySure) await tryToDelete(snapshot, true);
  }

  return { reveal, copyPath, remove };
}
