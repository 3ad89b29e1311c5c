import { onBeforeUnmount, onMounted, ref, type Ref } from "vue";

/** An element must be visible for this long: cards above it that finish loading may push it off the screen. */
const PASSING_MS = 500;

/** Whether an element has been on the screen for a moment. */
export function useSeen(
  element: Readonly<Ref<Element | null>>,
): Readonly<Ref<boolean>> {
  const isSeen = ref(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const observer = new IntersectionObserver((entries) => {
    clearTimeout(timer);
    if (entries.at(-1)?.isIntersecting)
      timer = setTimeout(() => {
        isSeen.value = true;
        observer.disconnect();
      }, PASSING_MS);
  });
  onMounted(() => {
    if (element.value) observer.observe(element.value);
  });
  onBeforeUnmount(() => {
    clearTimeout(timer);
    observer.disconnect();
  });
  return isSeen;
}
