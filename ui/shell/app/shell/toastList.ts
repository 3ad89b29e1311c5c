import type { ToastMessage } from "@gantry/ui-kit";
import { shallowRef, type ShallowRef } from "vue";

/** A toast that is shown. */
export interface ShownToast extends ToastMessage {
  readonly id: string;
  /** Grows when a message took the place of another one, so that its time starts over. */
  readonly edition: number;
}

/** The toasts that are shown, newest last. */
export interface ToastList {
  readonly toasts: Readonly<ShallowRef<readonly ShownToast[]>>;
  show(message: ToastMessage): string;
  hide(id: string): void;
}

const most = 5;

/** Makes an empty list. The oldest toast gives way when there are too many. */
export function createToastList(): ToastList {
  const toasts = shallowRef<readonly ShownToast[]>([]);
  let count = 0;
  return {
    toasts,
    show(message) {
      count += 1;
      const id = message.id ?? `toast-${count}`;
      const toast = { ...message, id, edition: count };
      const shown = toasts.value.some((other) => other.id === id);
      toasts.value = shown
        ? toasts.value.map((other) => (other.id === id ? toast : other))
        : [...toasts.value, toast].slice(-most);
      return id;
    },
    hide(id) {
      toasts.value = toasts.value.filter((toast) => toast.id !== id);
    },
  };
}
