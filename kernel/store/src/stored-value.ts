import type { StoreEntry, StoreOperation } from "@gantry/plugin";

/** An entry of the store. */
export interface Entry {
  key: string;
  value: object;
}

/** A change of one key, or a condition of the whole batch. A value that is a text is stored as it is. */
export type EngineOperation =
  | StoreOperation
  | { readonly type: "set"; readonly key: string; readonly value: string };

/** The same with each value as text. */
export type WireOperation =
  | { readonly type: "set"; readonly key: string; readonly value: string }
  | Exclude<EngineOperation, { readonly type: "set" }>;

/** Stands for a value that cannot be read. */
export class Unreadable {
  readonly content: unknown;
  constructor(content: unknown) {
    this.content = content;
  }
}

/** Reads what is stored: text, or what a driver of unstorage parsed of it. */
export function parseValue(stored: unknown): object | undefined {
  if (stored === null || stored === undefined) return undefined;
  let value: unknown = stored;
  try {
    if (typeof stored === "string") value = JSON.parse(stored) as unknown;
  } catch {
    // Given below as it is.
  }
  return typeof value === "object" && value !== null
    ? value
    : new Unreadable(stored);
}

/** What is stored as text, whether a driver gives it as that or as what it parsed of it. */
export function toText(stored: unknown): string | undefined {
  if (stored === null || stored === undefined) return undefined;
  return typeof stored === "string" ? stored : JSON.stringify(stored);
}

/** Serialises the value of an operation. */
export const toWire = (operation: EngineOperation): WireOperation =>
  operation.type === "set" && typeof operation.value !== "string"
    ? { ...operation, value: JSON.stringify(operation.value) }
    : (operation as WireOperation);

/** Removes what lies under a key. */
export const toRemoval = (key: string): StoreOperation => ({
  type: "remove",
  key,
});

/** What writes texts as they are, and removes keys. */
export const toOperations = (
  entries: readonly StoreEntry[],
  removed: readonly string[],
): EngineOperation[] => [
  ...entries.map(
    ({ key, text }) => ({ type: "set", key, value: text }) as const,
  ),
  ...removed.map(toRemoval),
];
