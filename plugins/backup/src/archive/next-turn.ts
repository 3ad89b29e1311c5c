/** Resolves when the event loop has come round, so that other work runs between two parts of a long one. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
