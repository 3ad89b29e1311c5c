import type { EventRecord, Notice } from "@gantry/plugin";
import type { Intake } from "../items/intake.ts";

/** Makes the handler of what the kernel has to tell. */
export function createNoticeListener(intake: Intake) {
  return async (event: EventRecord<Notice>): Promise<void> => {
    const { data, subject, at, id: sequence } = event;
    await intake.add({
      kind: "notice",
      title: data.title,
      body: data.body,
      severity: data.severity,
      source: { type: "kernel", id: subject, name: null },
      likeness: noticeLikeness(data),
      at,
      sequence,
    });
  };
}

const LIKENESS_LENGTH = 1000;

/** Notices are equal if they say the same. */
export function noticeLikeness({
  title,
  body,
}: {
  title: string;
  body: string;
}): string {
  return `${title}\n${body}`.slice(0, LIKENESS_LENGTH);
}
