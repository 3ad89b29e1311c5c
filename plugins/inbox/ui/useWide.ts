import { onScopeDispose, ref, type Ref } from "vue";

/** Whether there is room for the list and an item beside each other. */
export function useWide(): Readonly<Ref<boolean>> {
  const query = window.matchMedia("(min-width: 64rem)");
  const wide = ref(query.matches);
  const follow = () => (wide.value = query.matches);
  query.addEventListener("change", follow);
  onScopeDispose(() => query.removeEventListener("change", follow));
  return wide;
}
