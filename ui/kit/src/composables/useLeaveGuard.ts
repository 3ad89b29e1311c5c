import { onBeforeUnmount, onMounted } from "vue";
import { onBeforeRouteLeave } from "vue-router";
import { useConfirm } from "./useConfirm.ts";
import type { ConfirmQuestion } from "./confirmRequest.ts";

/**
 * Asks before a page is left whose changes are not saved. Closing the tab is asked about in the browser's own words. For a
 * component of a page that the router shows; it ends with the component.
 *
 * @example useLeaveGuard(() => isDirty.value, { body: "What you changed here is not saved yet.", tone: "failed" });
 */
export function useLeaveGuard(
  isDirty: () => boolean,
  question: Pick<ConfirmQuestion, "body" | "tone">,
): void {
  const confirm = useConfirm();
  onBeforeRouteLeave(
    () =>
      !isDirty() ||
      confirm({
        title: "Leave without saving?",
        action: "Leave",
        cancel: "Stay",
        ...question,
      }),
  );
  const onUnload = (event: BeforeUnloadEvent) => {
    if (isDirty()) event.preventDefault();
  };
  onMounted(() => window.addEventListener("beforeunload", onUnload));
  onBeforeUnmount(() => window.removeEventListener("beforeunload", onUnload));
}
