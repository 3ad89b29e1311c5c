import type { StoreOperation } from "@gantry/plugin";

/** A change of one key, or a condition of the whole batch. */
export type TextOperation =
  | { readonly type: "set"; readonly key: string; readonly value: string }
  | Exclude<StoreOperation, { readonly type: "set" }>;

/** Gives the events of a batch the numbers that follow the newest one given before, and makes what is written of them. */
export type NumberEvents = (newest: number) => {
  readonly operations: readonly TextOperation[];
  readonly newest: number;
};

/** Hands over changes of a store part by part. */
export type RewriteWork = (
  write: (operations: readonly TextOperation[]) => Promise<void>,
) => Promise<void>;

/** What is stored as text, whether a driver gives it as that or as what it parsed of it. */
export function toText(stored: unknown): string | undefined {
  if (stored === null || stored === undefined) return undefined;
  return typeof stored === "string" ? stored : JSON.stringify(stored);
}
