/** Runs tasks one after another. */
export type Serial = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Creates a queue for tasks that read and then write shared data. */
export function createSerial(): Serial {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work, work);
    last = result;
    return result;
  };
}
