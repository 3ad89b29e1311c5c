import { onBeforeUnmount, onMounted, ref, type Ref } from "vue";

/** Whether an element has been on the screen. */
export function useSeen(
  element: Readonly<Ref<Element | null>>,
): Readonly<Ref<boolean>> {
  const isSeen = ref(false);
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    isSeen.value = true;
    observer.disconnect();
  });
  onMounted(() => {
    if (element.value) observer.observe(element.value);
  });
  onBeforeUnmount(() => observer.disconnect());
  return isSeen;
}
