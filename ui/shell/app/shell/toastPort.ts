import type { useToast } from "#imports";
import type { ToastMessage, Tone } from "@gantry/ui-kit";
import { shallowRef, type ShallowRef } from "vue";

type NuxtToasts = ReturnType<typeof useToast>;
type NuxtToast = Parameters<NuxtToasts["add"]>[0];

const colors = {
  neutral: "neutral",
  active: "primary",
  attention: "warning",
  success: "success",
  failed: "error",
} as const satisfies Record<Tone, string>;

const icons: Readonly<Record<Tone, string | undefined>> = {
  neutral: undefined,
  active: "i-lucide-info",
  attention: "i-lucide-bell-ring",
  success: "i-lucide-circle-check",
  failed: "i-lucide-circle-alert",
};

/** Shows the kit's toasts with Nuxt UI's. */
export interface NuxtToastPort {
  show(message: ToastMessage): string;
  hide(id: string): void;
  /** Toasts that wait for what draws them, which is fetched for the first one. */
  readonly waiting: Readonly<ShallowRef<readonly NuxtToast[]>>;
  /** What draws toasts is there: a toast that is older than it would be measured as nothing. */
  begin(): void;
}

/** Makes the port. */
export function createToastPort(toasts: NuxtToasts): NuxtToastPort {
  const waiting = shallowRef<readonly NuxtToast[]>([]);
  let drawn = false;
  let count = 0;

  function toNuxtToast(id: string, message: ToastMessage): NuxtToast {
    const tone = message.tone ?? "neutral";
    return {
      id,
      title: message.title,
      description: message.detail,
      color: colors[tone],
      icon: message.icon ?? icons[tone],
      duration:
        message.durationMs === 0
          ? Number.POSITIVE_INFINITY
          : (message.durationMs ?? 5_000),
      actions: message.actions?.map((action) => ({
        label: action.label,
        color:
          action.tone === "failed" ? ("error" as const) : ("neutral" as const),
        variant: "outline" as const,
        size: "xs" as const,
        onClick: () => {
          toasts.remove(id);
          void action.run();
        },
      })),
    };
  }

  return {
    waiting,
    show(message) {
      count += 1;
      const id = message.id ?? `toast-${count}`;
      const toast = toNuxtToast(id, message);
      if (drawn) toasts.add(toast);
      else
        waiting.value = [
          ...waiting.value.filter((other) => other.id !== id),
          toast,
        ];
      return id;
    },
    hide(id) {
      waiting.value = waiting.value.filter((toast) => toast.id !== id);
      toasts.remove(id);
    },
    begin() {
      drawn = true;
      for (const toast of waiting.value) toasts.add(toast);
      waiting.value = [];
    },
  };
}
