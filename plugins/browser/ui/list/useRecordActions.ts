import {
  api,
  useConfirm,
  useToast,
  type ConfirmQuestion,
} from "@gantry/ui-kit";
import { shallowRef, type ShallowRef } from "vue";

/** Actions on records. Each function shows its error and never rejects. */
export interface RecordActions {
  /** Id of the record that is being removed. */
  readonly pending: Readonly<ShallowRef<string | undefined>>;
  /** Removes a record; `name` begins the error message: `The visit`. */
  remove(id: string, name: string): Promise<void>;
  /** Removes several records after a confirmation. */
  clear(
    question: Pick<ConfirmQuestion, "title" | "body" | "action">,
    command: "clear" | "prune",
    body: object,
  ): Promise<void>;
}

/** Creates the actions for the records under this path. */
export function useRecordActions(
  path: string,
  refresh: () => Promise<void>,
): RecordActions {
  const toast = useToast();
  const confirm = useConfirm();
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
      if (!(await confirm({ ...question, tone: "failed" }))) return;
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
        toast.failure("Not everything was removed", thrown);
      }
    },
  };
}
