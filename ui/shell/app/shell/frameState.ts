import { ref, type InjectionKey, type Ref } from "vue";
import { useStored } from "./useStored.ts";

/** What is open in the frame round the pages. */
export interface FrameState {
  readonly palette: Ref<boolean>;
  readonly help: Ref<boolean>;
  /** The sidebar shows icons alone. */
  readonly narrow: Ref<boolean>;
}

export const frameKey: InjectionKey<FrameState> = Symbol("gantry-frame");

/** Makes the state of a frame. */
export function createFrameState(): FrameState {
  return {
    palette: ref(false),
    help: ref(false),
    narrow: useStored("gantry-narrow-sidebar", false),
  };
}
