import { ApiError, useToast } from "@gantry/ui-kit";
import { shallowRef } from "vue";
import type { NowAnswer } from "../wire.ts";
import { backUpNow, proveSnapshot } from "./calls.ts";
import { useBackup } from "./useBackup.ts";

/** Makes snapshots and proves them, and tells how it went: both may take long, and the page may be left meanwhile. */
export function useBackUpNow() {
  const toast = useToast();
  const { resource } = useBackup();
  /** What was asked for and is not done yet. */
  const pending = shallowRef<"snapshot" | "proven-snapshot" | "proof">();
  /** The snapshot whose passphrase is needed to prove it. */
  const locked = shallowRef<{ id: string; isWrong: boolean }>();

  async function run(
    what: NonNullable<typeof pending.value>,
    work: () => Promise<NowAnswer>,
  ): Promise<void> {
    if (pending.value) return;
    pending.value = what;
    try {
      const { verified } = await work();
      if (verified) toast.success("Snapshot proven", toWords(verified));
      else toast.success("Backed up");
      locked.value = undefined;
    } finally {
      pending.value = undefined;
      void resource.refresh();
    }
  }

  async function backUp(verify: boolean): Promise<void> {
    try {
      await run(verify ? "proven-snapshot" : "snapshot", () =>
        backUpNow(verify),
      );
    } catch (thrown) {
      toast.failure("Not backed up", thrown);
    }
  }

  async function prove(id: string, passphrase?: string): Promise<void> {
    try {
      await run("proof", () => proveSnapshot(id, passphrase));
    } catch (thrown) {
      if (isAboutPassphrase(thrown))
        locked.value = { id, isWrong: passphrase !== undefined };
      else toast.failure("The snapshot was not proven", thrown);
    }
  }

  return { pending, locked, backUp, prove };
}

/** Tells whether something was refused because of a passphrase that is missing or wrong. */
export function isAboutPassphrase(thrown: unknown): boolean {
  return (
    thrown instanceof ApiError &&
    ["BACKUP_PASSPHRASE_MISSING", "BACKUP_PASSPHRASE_WRONG"].includes(
      thrown.code,
    )
  );
}

function toWords({
  records,
  files,
  plugins,
}: NonNullable<NowAnswer["verified"]>): string {
  const count = (value: number, unit: string) =>
    `${value.toLocaleString("en-US")} ${value === 1 ? unit : `${unit}s`}`;
  return `${count(records, "record")} and ${count(files, "file")} are whole, and Gantry started on the copy with ${count(plugins, "plugin")}.`;
}
