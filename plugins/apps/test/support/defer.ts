/** A promise with the functions that settle it. */
export function defer<Value = void>() {
  let resolve!: (value: Value) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<Value>((take, refuse) => {
    resolve = take;
    reject = refuse;
  });
  return { promise, resolve, reject };
}

/** A promise that is never settled. */
export const never = () => new Promise<never>(() => {});
