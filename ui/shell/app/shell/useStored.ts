import { ref, watch, type Ref } from "vue";

/** A value that this browser remembers. */
export function useStored<Value>(key: string, initial: Value): Ref<Value> {
  const stored = ref(read(key) ?? initial) as Ref<Value>;
  watch(stored, (value) => {
    try {
      localStorage.setItem(key, JSON.stringify(value));
    } catch {
      // A browser that stores nothing forgets it with the page.
    }
  });
  return stored;
}

function read(key: string): unknown {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
