import { api, useToast } from "@gantry/ui-kit";
import { computed, shallowRef, type ComputedRef, type ShallowRef } from "vue";
import type { AnnotationDraft } from "../wire.ts";

/** An annotation that was stored while this page is open. */
export interface KeptAnnotation {
  id: string;
  selector: string;
  comment: string;
  text: string;
  isSent: boolean;
}

/** Annotations of one tab, from picking an element to sending them. */
export interface Annotations {
  readonly isActive: ShallowRef<boolean>;
  /** The picked element that has no comment yet. */
  readonly draft: ShallowRef<AnnotationDraft | undefined>;
  readonly kept: Readonly<ShallowRef<readonly KeptAnnotation[]>>;
  readonly unsent: ComputedRef<readonly KeptAnnotation[]>;
  readonly pending: Readonly<ShallowRef<"keep" | "send" | undefined>>;
  /** Discards the picked element. */
  discard(): void;
  keep(comment: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Sends all unsent annotations in one message. Returns whether that succeeded. */
  sendTo(agentId: string, agentName: string): Promise<boolean>;
}

/** Stores annotations and sends them to agents. */
export function useAnnotations(): Annotations {
  const toast = useToast();
  const isActive = shallowRef(false);
  const draft = shallowRef<AnnotationDraft>();
  const kept = shallowRef<readonly KeptAnnotation[]>([]);
  const pending = shallowRef<"keep" | "send">();
  const unsent = computed(() => kept.value.filter(({ isSent }) => !isSent));

  return {
    isActive,
    draft,
    kept,
    unsent,
    pending,
    discard: () => void (draft.value = undefined),
    async keep(comment) {
      const picked = draft.value;
      if (!picked) return;
      pending.value = "keep";
      try {
        const { id } = await api.post<{ id: string }>(
          "/api/browser/annotations",
          { body: { ...picked, comment } },
        );
        const { selector, text } = picked;
        kept.value = [
          ...kept.value,
          { id, selector, text, comment, isSent: false },
        ];
        draft.value = undefined;
      } catch (thrown) {
        toast.failure("The annotation was not saved", thrown);
      } finally {
        pending.value = undefined;
      }
    },
    async remove(id) {
      try {
        await api.delete(`/api/browser/annotations/${id}`, { body: {} });
        kept.value = kept.value.filter((annotation) => annotation.id !== id);
      } catch (thrown) {
        toast.failure("The annotation was not deleted", thrown);
      }
    },
    async sendTo(agentId, agentName) {
      const sent = unsent.value.map(({ id }) => id);
      pending.value = "send";
      try {
        await api.post("/api/browser/annotations/send", {
          body: { ids: sent, agentId },
        });
        kept.value = kept.value.map((annotation) =>
          sent.includes(annotation.id)
            ? { ...annotation, isSent: true }
            : annotation,
        );
        toast.success(`Sent to ${agentName}`);
        return true;
      } catch (thrown) {
        toast.failure("The annotations were not sent", thrown);
        return false;
      } finally {
        pending.value = undefined;
      }
    },
  };
}
