import type { Component } from "vue";

/**
 * A component, or a function that loads one. A function is always taken for a loader, so a functional component has to
 * be wrapped in `defineComponent`.
 */
export type ComponentSource =
  Component | (() => Promise<{ default: Component }>);
