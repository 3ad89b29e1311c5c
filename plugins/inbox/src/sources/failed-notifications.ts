import type { EventRecord } from "@gantry/plugin";
import type { FailedNotification } from "@gantry/plugin-automations/contract";
import type { Intake } from "../items/intake.ts";

/** Makes the handler of messages that could not be delivered: the recipient, who waits elsewhere, would never know. */
export function createNotificationListener(intake: Intake) {
  return async (event: EventRecord<FailedNotification>): Promise<void> => {
    const { data, at, id: sequence } = event;
    const { automationId, automationName, target, tries, code, error } = data;
    const times = tries === 1 ? "once" : `${tries} times`;
    await intake.add({
      kind: "notice",
      title: `${automationName}: its notification did not arrive`,
      body: `It was tried ${times} at \`${target}\`. ${error}\n\nThe run itself is not affected.`,
      severity: "warning",
      source: { type: "automation", id: automationId, name: automationName },
      likeness: `notify ${target} ${code}`,
      at,
      sequence,
    });
  };
}
