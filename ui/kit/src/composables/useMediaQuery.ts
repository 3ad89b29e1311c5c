import { onScopeDispose, readonly, ref, type Ref } from "vue";

/** Tells whether a media query holds, and follows it. */
export function useMediaQuery(query: string): Readonly<Ref<boolean>> {
  const list = window.matchMedia(query);
  const holds = ref(list.matches);
  const follow = () => (holds.value = list.matches);
  list.addEventListener("change", follow);
  onScopeDispose(() => list.removeEventListener("change", follow));
  return readonly(holds);
}
