import { runInContext } from "./work-context.ts";

/**
 * Makes a signal that the kernel aborts and code of a plugin listens to. Its listeners run in the plugin's context: Node throws what a listener throws in a later turn,
 * where only the context tells whose listener it was.
 */
export function createOwnedSignal(plugin: string) {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    abort: (reason?: unknown) =>
      runInContext({ plugin }, () => controller.abort(reason)),
  };
}
