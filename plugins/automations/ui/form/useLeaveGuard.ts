import { useConfirm } from "@gantry/ui-kit";
import { onBeforeUnmount, onMounted } from "vue";
import { onBeforeRouteLeave } from "vue-router";

/** Asks before changes that were not saved are left behind. */
export function useLeaveGuard(isDirty: () => boolean): void {
  const confirm = useConfirm();
  onBeforeRouteLeave(async () => {
    if (!isDirty()) return true;
    return confirm({
      title: "Leave without saving?",
      body: "What you changed here is not saved yet.",
      action: "Leave",
      cancel: "Stay",
      tone: "failed",
    });
  });
  const onUnload = (event: BeforeUnloadEvent) => {
    if (isDirty()) event.preventDefault();
  };
  onMounted(() => window.addEventListener("beforeunload", onUnload));
  onBeforeUnmount(() => window.removeEventListener("beforeunload", onUnload));
}
