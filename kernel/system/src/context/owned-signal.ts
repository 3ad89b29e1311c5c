import { runInContext } from "./work-context.ts";

/** A signal that the kernel aborts and code of a plugin listens to. */
export interface OwnedSignal {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/**
 * Makes a signal for a plugin. Its listeners run in the plugin's context: Node throws what a listener throws in a later turn,
 * where only the context tells whose listener it was.
 */
export function createOwnedSignal(plugin: string): OwnedSignal {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    abort: (reason) => runInContext({ plugin }, () => controller.abort(reason)),
  };
}
