import { useResource, type NavigationBadge } from "@gantry/ui-kit";
import { computed, type ComputedRef } from "vue";

/** How many items are unread, and how many need input. */
export function useInboxBadge(): ComputedRef<NavigationBadge | undefined> {
  const { data } = useResource<{ unread: number; blocking: number }>(
    "/api/inbox/badge",
    {
      refreshOn: ["inbox.*"],
    },
  );
  return computed(() => {
    if (!data.value) return undefined;
    const { unread, blocking } = data.value;
    const waiting =
      blocking === 0
        ? ""
        : blocking === 1
          ? "1 needs input"
          : `${blocking} need input`;
    return {
      // A question that was read still has to be answered.
      count: Math.max(unread, blocking),
      tone: blocking > 0 ? "attention" : "neutral",
      label: [unread > 0 ? `${unread} unread` : "", waiting]
        .filter(Boolean)
        .join(", "),
    };
  });
}
