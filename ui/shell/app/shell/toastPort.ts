import type { useToast } from "#imports";
import type { ToastMessage, Tone } from "@gantry/ui-kit";

type NuxtToasts = ReturnType<typeof useToast>;

const colors = {
  neutral: "neutral",
  active: "primary",
  attention: "warning",
  success: "success",
  failed: "error",
} as const;
const icons: Readonly<Record<Tone, string | undefined>> = {
  neutral: undefined,
  active: "i-lucide-info",
  attention: "i-lucide-bell-ring",
  success: "i-lucide-circle-check",
  failed: "i-lucide-circle-alert",
};

/** Shows the kit's toasts with Nuxt UI's. */
export function createToastPort(toasts: NuxtToasts) {
  let count = 0;
  return {
    show(message: ToastMessage): string {
      count += 1;
      const id = message.id ?? `toast-${count}`;
      const tone = message.tone ?? "neutral";
      toasts.add({
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
            action.tone === "failed"
              ? ("error" as const)
              : ("neutral" as const),
          variant: "outline" as const,
          size: "xs" as const,
          onClick: () => {
            toasts.remove(id);
            void action.run();
          },
        })),
      });
      return id;
    },
    hide: (id: string) => toasts.remove(id),
  };
}
