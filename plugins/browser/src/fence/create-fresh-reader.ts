/**
 * Creates a function that runs `read`, one run at a time. The returned promise is that of a run that began after the call:
 * calls during a run share the next one.
 */
export function createFreshReader(
  read: () => Promise<void>,
): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const start = (): Promise<void> =>
    (running = read().finally(() => (running = undefined)));

  return () => {
    if (next) return next;
    if (!running) return start();
    const follow = () => {
      next = undefined;
      return start();
    };
    return (next = running.then(follow, follow));
  };
}
