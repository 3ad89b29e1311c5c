import {
  api,
  useConfirm,
  useToast,
  type ConfirmQuestion,
} from "@gantry/ui-kit";
import { shallowRef, type ShallowRef } from "vue";
import { useRouter } from "vue-router";
import type { Tab } from "../wire.ts";

/** Actions on records. Each function shows its error and never rejects. */
export interface RecordActions {
  /** Id of the record that is being changed. */
  readonly pending: Readonly<ShallowRef<string | undefined>>;
  /** Removes a record; `name` appears in the error message. */
  remove(id: string, name: string): Promise<void>;
  /** Removes several records after a confirmation. */
  clear(
    question: ConfirmQuestion,
    command: "clear" | "prune",
    body: object,
  ): Promise<void>;
  /** Opens a page in the work browser and shows it. */
  open(url: string): Promise<void>;
}

/** Creates the actions for the records under this path. */
export function useRecordActions(
  path: string,
  refresh: () => Promise<void>,
): RecordActions {
  const toast = useToast();
  const confirm = useConfirm();
  const router = useRouter();
  const pending = shallowRef<string>();

  return {
    pending,
    async remove(id, name) {
      pending.value = id;
      try {
        await api.delete(`${path}/${id}`, { body: {} });
        await refresh();
      } catch (thrown) {
        toast.failure(`${name} was not removed`, thrown);
      } finally {
        pending.value = undefined;
      }
    },
    async clear(question, command, body) {
      if (!(await confirm(question))) return;
      try {
        const { deleted } = await api.post<{ deleted: number }>(
          `${path}/${command}`,
          { body },
        );
        await refresh();
        toast.success(
          deleted === 0 ? "There was nothing to remove" : `${deleted} removed`,
        );
      } catch (thrown) {
        toast.failure("Nothing more was removed", thrown);
      }
    },
    async open(url) {
      try {
        const { id } = await api.post<Tab>("/api/browser/tabs", {
          body: { url },
        });
        await router.push({ path: "/browser", query: { tab: id } });
      } catch (thrown) {
        toast.failure("The page was not opened", thrown);
      }
    },
  };
}
