import { defineAsyncComponent, type Component } from "vue";
import LoadingState from "../components/LoadingState.vue";
import type { ComponentSource } from "./componentSource.ts";

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
    loadingComponent: LoadingState,
    delay: 0,
    suspensible: false,
  });
}
