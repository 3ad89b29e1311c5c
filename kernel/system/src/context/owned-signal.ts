import { runInContext } from "./work-context.ts";

/** A signal that the kernel aborts and that a plugin's code listens to. */
export interface OwnedSignal {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/**
 * Creates a signal for a plugin. Its listeners run in the plugin's context: Node rethrows a listener's error in a later
 * turn, where only the context shows which plugin it belongs to.
 */
export function createOwnedSignal(plugin: string): OwnedSignal {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    abort: (reason) => runInContext({ plugin }, () => controller.abort(reason)),
  };
}
