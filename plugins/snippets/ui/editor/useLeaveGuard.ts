import { useConfirm } from "@gantry/ui-kit";
import { onBeforeUnmount, onMounted } from "vue";
import { onBeforeRouteLeave } from "vue-router";

/** Asks before text that was not saved is left behind. */
export function useLeaveGuard(isDirty: () => boolean): void {
  const confirm = useConfirm();
  onBeforeRouteLeave(async () => {
    if (!isDirty()) return true;
    return confirm({
      title: "Leave without saving?",
      body: "What you wrote stays in this browser as a draft, until you save or discard it.",
      action: "Leave",
      cancel: "Stay",
    });
  });
  const onUnload = (event: BeforeUnloadEvent) => {
    if (isDirty()) event.preventDefault();
  };
  onMounted(() => window.addEventListener("beforeunload", onUnload));
  onBeforeUnmount(() => window.removeEventListener("beforeunload", onUnload));
}
