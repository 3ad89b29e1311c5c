import {
  defineAsyncComponent,
  defineComponent,
  h,
  inject,
  type Component,
  type InjectionKey,
} from "vue";
import LoadingState from "../components/LoadingState.vue";
import type { ComponentSource } from "./componentSource.ts";

/** Set by a place that shows nothing while a component for it is fetched. */
export const quietPlace: InjectionKey<boolean> = Symbol("gantry-quiet-place");

const Fetching = defineComponent({
  name: "Fetching",
  setup() {
    const isQuiet = inject(quietPlace, false);
    return () => (isQuiet ? null : h(LoadingState));
  },
});

/**
 * Gives the component of a source; a loader runs when the component is first shown, and again after it failed and is
 * shown again. Make it once for each source, so that what was loaded is kept.
 */
export function toComponent(source: ComponentSource): Component {
  if (typeof source !== "function") return source;
  // A function is a loader by the contract of `ComponentSource`.
  const loader = source as () => Promise<{ default: Component }>;
  return defineAsyncComponent({
    loader: async () => (await loader()).default,
    loadingComponent: Fetching,
    delay: 0,
    suspensible: false,
  });
}
