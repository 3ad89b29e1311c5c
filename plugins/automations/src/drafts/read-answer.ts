import { toVisibleText, type InputIssue } from "@gantry/plugin";
import { draftedInput } from "../wire/automation.ts";
import type { Drafted, DroppedField } from "../wire/draft.ts";
import { toTimes } from "../wire/schedule.ts";
import { findObjects } from "./find-objects.ts";
import { toPlainTimes } from "./plain-times.ts";

/** What an answer is read with. */
export interface AnswerContext {
  description: string;
  timeZone: string;
  userFolder: string;
}

/** A draft, or why an answer is none. */
export type ReadAnswer =
  { automation: Drafted; dropped: DroppedField[] } | { errors: InputIssue[] };

type Fields = Record<string, unknown>;

const KNOWN = ["name", "prompt", "workspace", "schedules"] as const;
const DEFAULT = "It stays at its default until you choose another.";
const CAPS = "Caps are yours to set; a draft leaves them as they are.";
const SECRET = "Secrets are made by the daemon, when you save.";

/** Fields of an automation that a draft does not set. */
const OTHERS: Readonly<Record<string, string>> = {
  enabled: "A draft is never switched on; do that once you have read it.",
  permissions: "What it may do unasked is yours to allow.",
  limits: CAPS,
  maxCostUsd: CAPS,
  maxRunsPerHour: CAPS,
  maxRunsPerDay: CAPS,
  maxRunsPerWeek: CAPS,
  webhookSecret: SECRET,
  secret: SECRET,
  mode: DEFAULT,
  targetAgentId: DEFAULT,
  agentId: DEFAULT,
  cli: DEFAULT,
  model: DEFAULT,
  timeoutMs: DEFAULT,
};
const UNKNOWN = "A draft has no such field.";
const MAX_VALUE_LENGTH = 200;

/** Takes the draft out of what an agent said, and checks it as a save would. */
export function readAnswer(answer: string, context: AnswerContext): ReadAnswer {
  const fields = findDraft(answer);
  if (!fields) {
    const message =
      'there is no JSON object with "name", "prompt" and "schedules" in the answer';
    return { errors: [{ path: "", message }] };
  }
  const dropped: DroppedField[] = [];
  const drop = (path: string, value: unknown, why: string) =>
    void dropped.push({ path, value: shorten(value), why });

  const { name, prompt, workspace, schedules, webhook, notifyUrl, ...others } =
    fields;
  for (const [field, value] of Object.entries(others))
    if (!isHarmless(field, value))
      drop(
        field,
        value,
        Object.hasOwn(OTHERS, field) ? OTHERS[field]! : UNKNOWN,
      );
  const isGiven =
    typeof notifyUrl === "string" && context.description.includes(notifyUrl);
  if (!isGiven && notifyUrl !== undefined && notifyUrl !== null)
    drop("notifyUrl", notifyUrl, "Your description does not contain it.");

  const read = draftedInput.safeParse({
    name: toShown(name),
    prompt: toShown(prompt),
    workspace: toPath(workspace, context.userFolder),
    schedules: Array.isArray(schedules)
      ? schedules.map((rule: unknown, index) =>
          toSchedule(rule, context.timeZone, (field, value) =>
            drop(`schedules.${index}.${field}`, value, UNKNOWN),
          ),
        )
      : (schedules ?? []),
    webhook: webhook ?? false,
    notifyUrl: isGiven ? notifyUrl : null,
  });
  if (!read.success) {
    const errors = read.error.issues.flatMap(({ path, message }) => {
      const [field, index, part] = path;
      // The agent wrote a cron line, whatever it was converted to.
      const shown = part === "frequency" ? [field, index, "cron"] : path;
      return [{ path: shown.join("."), message }];
    });
    return { errors };
  }
  const { data } = read;
  const plain = data.schedules.map((rule) => {
    const times = toTimes(rule);
    const label = rule.label ?? null;
    return times.cron === null
      ? { ...times, label }
      : { ...times, ...toPlainTimes(times.cron), label };
  });
  return { automation: { ...data, schedules: plain }, dropped };
}

/** The object that looks most like an automation; of two that do equally, the last one counts. */
function findDraft(answer: string): Fields | undefined {
  let best: Fields | undefined;
  let most = 0;
  for (const object of findObjects(answer)) {
    const inner = Object.values(object).filter(isObject);
    for (const candidate of [object, ...inner]) {
      const count = KNOWN.filter((name) =>
        Object.hasOwn(candidate, name),
      ).length;
      if (count === 0 || count < most) continue;
      most = count;
      best = candidate;
    }
  }
  return best;
}

/** Says what is so anyway. */
function isHarmless(field: string, value: unknown): boolean {
  if (value === null) return true;
  if (field === "enabled") return value === false;
  if (field === "mode") return value === "start";
  if (field === "permissions")
    return isObject(value) && value["mode"] === "reject";
  const isEmpty =
    isObject(value) && Object.values(value).every((one) => one === null);
  return field === "limits" && isEmpty;
}

function toPath(path: unknown, userFolder: string): unknown {
  if (path === undefined || path === "") return null;
  if (typeof path !== "string") return path;
  const shown = toVisibleText(path);
  return /^~(?=$|[\\/])/.test(shown) ? userFolder + shown.slice(1) : shown;
}

function toSchedule(
  rule: unknown,
  timeZone: string,
  drop: (field: string, value: unknown) => void,
): unknown {
  if (!isObject(rule)) return rule;
  const { cron, timeZone: zone, label, ...rest } = rule;
  const { frequency, time, weekday, minute, ...others } = rest;
  const shared = { timeZone: zone ?? timeZone, label: toShown(label) ?? null };
  const isByName = (cron === undefined || cron === null) && "frequency" in rule;
  const unused = isByName ? others : rest;
  for (const [field, value] of Object.entries(unused))
    if (value !== null && !(field === "enabled" && value === true))
      drop(field, value);
  return isByName
    ? { ...shared, frequency, time, weekday, minute }
    : { ...shared, frequency: "custom", cron };
}

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Nothing hides in what the user is to save; models like to write spaces of other widths, which are no secret. */
function toShown(value: unknown): unknown {
  return typeof value === "string"
    ? toVisibleText(value.replaceAll(/\p{Zs}/gu, " "))
    : value;
}

function shorten(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const shown = toVisibleText(text.slice(0, MAX_VALUE_LENGTH));
  return text.length > MAX_VALUE_LENGTH ? `${shown}…` : shown;
}
