import { isAbort, toApiError } from "../api/apiError.ts";
import { useKit } from "../internal/context.ts";
import type { Tone } from "../tone.ts";

/** A button on a toast. */
export interface ToastAction {
  label: string;
  run: () => void | Promise<void>;
  tone?: "neutral" | "failed";
}

/** A short message at the edge of the page. */
export interface ToastMessage {
  /** A message with the id of one that is shown takes its place. */
  id?: string;
  title: string;
  detail?: string;
  tone?: Tone;
  icon?: string;
  actions?: readonly ToastAction[];
  /** 5 s unless said; 0 stays until it is closed. */
  durationMs?: number;
}

/** How the shell shows toasts. */
export interface ToastPort {
  show(message: ToastMessage): string;
  hide(id: string): void;
}

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
