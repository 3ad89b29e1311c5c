import { isAbort, toApiError } from "../api/apiError.ts";
import { useKit } from "../internal/context.ts";
import type { ToastPort } from "./toastPort.ts";

/** Shows toasts. The functions may be called at any time later. */
export interface Toasts extends ToastPort {
  /** Says that something worked. */
  success(title: string, detail?: string): void;
  /** Says what went wrong, with the reason that the daemon gave. An abort shows nothing. */
  failure(title: string, thrown: unknown): void;
}

/**
 * Gives the functions that show toasts.
 *
 * @example
 * const toast = useToast();
 * await api.post("/api/notes", { body }).then(() => toast.success("Saved"), (e) => toast.failure("Not saved", e));
 */
export function useToast(): Toasts {
  const { toasts } = useKit();
  return {
    show: (message) => toasts.show(message),
    hide: (id) => toasts.hide(id),
    success: (title, detail) =>
      void toasts.show({ title, detail, tone: "success" }),
    failure(title, thrown) {
      if (isAbort(thrown)) return;
      const error = toApiError(thrown);
      const request = error.requestId ? ` (request ${error.requestId})` : "";
      toasts.show({
        title,
        detail: `${error.detail}${request}`,
        tone: "failed",
        durationMs: 8_000,
      });
    },
  };
}
