import { onScopeDispose, shallowRef, type ShallowRef } from "vue";

/** A flag that is true for a moment after `raise()`, such as "copied". */
export function useMoment(ms: number): {
  raised: Readonly<ShallowRef<boolean>>;
  raise: () => void;
} {
  const raised = shallowRef(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  onScopeDispose(() => clearTimeout(timer));
  return {
    raised,
    raise() {
      clearTimeout(timer);
      raised.value = true;
      timer = setTimeout(() => (raised.value = false), ms);
    },
  };
}
