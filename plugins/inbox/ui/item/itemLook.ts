import type { Tone } from "@gantry/ui-kit";
import type { InboxItem, InboxItemKind } from "../../src/contract.ts";

/** How an item is shown: in a word, a picture and a colour. */
export interface ItemLook {
  label: string;
  icon: string;
  tone: Tone;
}

/** Names of the kinds, in the order in which they are offered. */
export const kindLabels: Readonly<Record<InboxItemKind, string>> = {
  question: "Questions",
  approval: "Approvals",
  result: "Results",
  notice: "Notices",
};

/** Gives the look of an item. What waits has the colour of waiting only while it waits. */
export function toItemLook({
  kind,
  severity,
  blocking,
  state,
  cutOff,
  run,
}: InboxItem): ItemLook {
  const waits = blocking && state !== "done";
  const asks: Tone = waits ? "attention" : "neutral";
  if (kind === "question")
    return {
      label: "Question",
      icon: "i-lucide-message-circle-question-mark",
      tone: asks,
    };
  if (kind === "approval")
    return {
      label: "Approval",
      icon: "i-lucide-shield-question-mark",
      tone: asks,
    };
  if (kind === "result")
    return {
      label: "Result",
      icon: "i-lucide-circle-check",
      tone: waits ? "attention" : "success",
    };
  if (cutOff && !run)
    return { label: "Cut off", icon: "i-lucide-unplug", tone: asks };
  if (severity === "error")
    return { label: "Failure", icon: "i-lucide-circle-alert", tone: "failed" };
  if (severity === "warning")
    return {
      label: "Warning",
      icon: "i-lucide-triangle-alert",
      tone: "attention",
    };
  return {
    label: "Notice",
    icon: "i-lucide-info",
    tone: waits ? "attention" : "neutral",
  };
}

/** Colour of a picture in each tone. */
export const iconTone: Readonly<Record<Tone, string>> = {
  neutral: "text-dimmed",
  active: "text-primary",
  attention: "text-warning",
  success: "text-success",
  failed: "text-error",
};

export const itemKinds = Object.keys(kindLabels) as InboxItemKind[];
