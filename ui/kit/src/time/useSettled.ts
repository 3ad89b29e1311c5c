import { onScopeDispose, ref, watch, type Ref } from "vue";

/**
 * A value that follows another one once that has stayed the same for a time in ms: what is done with something that is
 * being typed. It keeps its last value when the component ends.
 *
 * @example const q = useSettled(() => text.value, 200);
 */
export function useSettled<Value>(
  source: () => Value,
  ms: number,
): Readonly<Ref<Value>> {
  const settled = ref(source()) as Ref<Value>;
  let timer: ReturnType<typeof setTimeout> | undefined;
  watch(source, (value) => {
    clearTimeout(timer);
    timer = setTimeout(() => (settled.value = value), ms);
  });
  onScopeDispose(() => clearTimeout(timer));
  return settled;
}
