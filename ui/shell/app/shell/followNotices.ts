import { api, useEvents, useToast } from "@gantry/ui-kit";
import { onScopeDispose } from "vue";
import { useShell } from "./useShell.ts";

/** Shows what happens to the daemon itself: a device was paired, a plugin changed, the kernel has something to say. */
export function followNotices(): void {
  const { access, plugins, reloadPlugins } = useShell();
  const toast = useToast();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function revoke(id: string, device: string): Promise<void> {
    try {
      await api.delete(`/api/auth/sessions/${id}`);
      toast.success(`${device} is no longer paired`);
    } catch (thrown) {
      toast.failure(`${device} could not be revoked`, thrown);
    }
  }

  useEvents<{ device: string; address: string }>(
    ["auth.session-created"],
    ({ subject, data }) => {
      const own =
        access.value.status === "paired"
          ? access.value.answer.session.id
          : undefined;
      if (subject === own) return;
      toast.show({
        id: `paired-${subject}`,
        title: "Another device was paired",
        detail: `${data.device} from ${data.address}`,
        tone: "attention",
        icon: "i-lucide-shield-check",
        durationMs: 0,
        actions: [
          {
            label: "Revoke",
            tone: "failed",
            run: () => revoke(subject, data.device),
          },
        ],
      });
    },
  );

  useEvents<{ state: string; reason: string | null }>(
    ["kernel.plugin-changed"],
    ({ subject, data }) => {
      // A plugin passes through several states in a moment.
      clearTimeout(timer);
      timer = setTimeout(() => void reloadPlugins(), 150);
      if (data.state !== "failed") return;
      const known = plugins.plugins.value.find(
        ({ info }) => info.id === subject,
      );
      if (known?.info.state === "failed") return;
      toast.show({
        id: `plugin-${subject}`,
        title: `The plugin ${subject} failed`,
        detail: data.reason ?? "It did not say why.",
        tone: "failed",
      });
    },
  );

  // The files of a version that was replaced are gone; what was not fetched before cannot be.
  const tellOfUpdate = () =>
    void toast.show({
      id: "updated",
      title: "Gantry was updated",
      detail:
        "This page is of an older version and cannot load all of its parts.",
      tone: "attention",
      durationMs: 0,
      actions: [
        { label: "Reload the page", run: () => window.location.reload() },
      ],
    });
  window.addEventListener("vite:preloadError", tellOfUpdate);
  onScopeDispose(() =>
    window.removeEventListener("vite:preloadError", tellOfUpdate),
  );

  const tones = {
    info: "active",
    warning: "attention",
    error: "failed",
  } as const;
  useEvents<{ title: string; body: string; severity: keyof typeof tones }>(
    ["kernel.notice-raised"],
    ({ id, data }) => {
      toast.show({
        id: `notice-${id}`,
        title: data.title,
        tone: tones[data.severity],
        durationMs: 8_000,
      });
    },
  );
}
