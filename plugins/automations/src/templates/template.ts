import * as z from "zod";
import type { AutomationTemplate } from "../contract.ts";
import { limitsView, permissionsView } from "../wire/automation.ts";
import { MAX_SCHEDULES, scheduleInput, toTimes } from "../wire/schedule.ts";

const ONE_LINE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u;
const line = (most: number) =>
  z.string().trim().min(1).max(most).regex(ONE_LINE);

const frequency = z.enum(["hourly", "daily", "weekdays", "weekly", "custom"]);

const schedule = z.object({
  frequency,
  time: z.string().nullable(),
  weekday: z.number().int().nullable(),
  minute: z.number().int().nullable(),
  cron: z.string().nullable(),
});

/** A template as clients see it. */
export const templateView = z.object({
  id: z.string(),
  name: z.string(),
  category: z.string(),
  summary: z.string(),
  prompt: z.string(),
  /** Default schedules, without a time zone: an automation made of it takes its creator's. */
  schedules: z.array(schedule),
  limits: limitsView,
  /** What an automation made of it may do unasked: reading, or running commands if it has to. */
  permissions: permissionsView,
});

export type TemplateView = z.infer<typeof templateView>;

/** A template as a plugin hands it over. */
const templateInput = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, "must be kebab-case")
    .max(60),
  name: line(100),
  category: line(40),
  summary: line(200),
  prompt: z.string().min(1).max(50_000),
  runsPrograms: z.boolean().default(false),
  schedules: z
    .array(
      z
        .looseObject({ timeZone: z.undefined().optional() })
        .transform((times, context) => {
          const read = scheduleInput.safeParse({ ...times, timeZone: "UTC" });
          if (read.success) {
            const { timeZone: _, ...plain } = toTimes(read.data);
            return plain;
          }
          for (const { path, message } of read.error.issues)
            context.addIssue({ code: "custom", path: [...path], message });
          return z.NEVER;
        }),
    )
    .max(MAX_SCHEDULES),
  limits: z.strictObject(limitsView.shape),
});

/** What CLIs call the tool that runs a command; case does not matter. */
const SHELL_TOOLS = ["bash", "shell", "execute", "exec_command"] as const;

/** What every prompt ends with, also that of another plugin's template. */
const REPORT_ONLY =
  "Only report. Change nothing in this repository: do not edit, create or delete files in it, and do not commit, merge, rebase, tag, stash, push or fetch. Open no pull request and no issue, and send nothing anywhere. What should be done is for your answer to say.";

/** What the prompt ends with where all but reading is refused. */
const READ_ONLY =
  "No user is there to give a permission: commands that do more than read are refused. Keep them plain (git log, git diff, ls, cat, grep, find and the like, also in pipes), without variables, substitutions and redirections. What you could not find out, say in your answer.";

/**
 * Checks a template and makes it what clients see.
 *
 * @returns what is wrong with it, if something is
 */
export function readTemplate(
  template: AutomationTemplate,
): { view: TemplateView } | { problem: string } {
  const read = templateInput.safeParse(template);
  if (!read.success) {
    const [issue] = read.error.issues;
    return { problem: `${issue?.path.join(".")}: ${issue?.message}` };
  }
  const { prompt, runsPrograms, ...rest } = read.data;
  const orders = runsPrograms ? [REPORT_ONLY] : [REPORT_ONLY, READ_ONLY];
  return {
    view: {
      ...rest,
      prompt: [prompt.trim(), ...orders].join("\n\n"),
      permissions: runsPrograms
        ? { mode: "allow-once", tools: [...SHELL_TOOLS] }
        : { mode: "report-only", tools: [] },
    },
  };
}
