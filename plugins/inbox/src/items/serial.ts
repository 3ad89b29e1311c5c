/** Runs one piece of work after the other. */
export type Serial = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Makes a queue for work that reads and then writes what other such work also writes. Listeners of different events
 * run side by side, so without it a question could be opened and closed at the same moment and stay open for ever.
 */
export function createSerial(): Serial {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work, work);
    last = result;
    return result;
  };
}
