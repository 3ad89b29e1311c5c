import type { Finding } from "../report.ts";

/** Makes a finding: how much it matters, its code, what is so, and what to do about it. */
export const finding = (
  severity: Finding["severity"],
  code: string,
  what: string,
  fix: string,
): Finding => ({ severity, code, what, fix });

/** The finding if it is so, and nothing else. */
export const when = (
  isSo: boolean,
  ...parts: Parameters<typeof finding>
): Finding[] => (isSo ? [finding(...parts)] : []);

/** What is known beside the facts. */
export interface Circumstances {
  /** What is wrong with the configuration; `null` if nothing is. */
  configFault?: string | null;
  /** A daemon is there and does not answer. */
  isSilent?: boolean;
  environment?: NodeJS.ProcessEnv;
  isRoot?: boolean;
}
