import type { Finding } from "@gantry/plugin";
import * as z from "zod";

/** How severe a finding can be, the most severe first: what to fix now, what to know, what is good to know. */
export const SEVERITIES = ["high", "medium", "low"] as const;

/** A finding as the report has it: what is wrong, and a fix in one sentence. */
export const FindingSchema = z
  .object({
    severity: z.enum(SEVERITIES),
    /** Never renamed, since people watch for it. */
    code: z.string(),
    what: z.string(),
    fix: z.string(),
  })
  .meta({ id: "Finding" });

/** Creates a finding. */
export const finding = (
  severity: Finding["severity"],
  code: string,
  what: string,
  fix: string,
): Finding => ({ severity, code, what, fix });

/** The finding if a condition holds, else nothing. */
export const when = (
  isSo: boolean,
  ...parts: Parameters<typeof finding>
): Finding[] => (isSo ? [finding(...parts)] : []);
