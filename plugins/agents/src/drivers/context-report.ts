import type { SessionFact } from "../driver.ts";
import { readAmount } from "./money.ts";

export type ContextReport = Extract<SessionFact, { type: "context" }>;

/** A report of how full the model's context is; `undefined` if the CLI does not say. A size of 0 stands for an unknown one. */
export function toContextReport(
  usedTokens: number | null,
  size: unknown,
): ContextReport | undefined {
  if (usedTokens === null) return undefined;
  return { type: "context", usedTokens, sizeTokens: readAmount(size) || null };
}
