import type { PluginContext } from "@gantry/plugin";
import * as z from "zod";
import type { AppAction, AppActionResult } from "../contract.ts";
import { errors } from "../errors.ts";

/** An action has 5 s, and a program that takes no notice of TERM ends after that. */
const MAX_WAIT_MS = 3_500;

const stopArgs = z.object({ pid: z.int(), startedAt: z.string() });

/** The button that stops a program; {@link stopProgram} does what it asks for. */
export function toStopButton(
  { pid, startedAt }: z.infer<typeof stopArgs>,
  confirm: string,
) {
  return {
    label: "Stop",
    icon: "i-lucide-square",
    action: "stop",
    args: { pid, startedAt },
    confirm,
    isDanger: true,
  };
}

/**
 * Ends a program that a plugin runs.
 *
 * @throws APP_REFUSED for any other action
 */
export async function stopProgram(
  app: string,
  { action, args }: AppAction,
  { daemon, clock }: Pick<PluginContext, "daemon" | "clock">,
): Promise<AppActionResult> {
  const parsed = stopArgs.safeParse(args);
  if (action !== "stop" || !parsed.success)
    throw errors.APP_REFUSED({
      id: app,
      reason: `There is no action ${action} with these arguments.`,
    });
  let cancel = () => {};
  const late = new Promise<"late">((resolve) => {
    cancel = clock.after(MAX_WAIT_MS, () => resolve("late"));
  });
  const ended = await Promise.race([daemon.endProcess(parsed.data), late]);
  cancel();
  if (ended === "late") return { toast: { text: "It is being stopped." } };
  return ended
    ? { toast: { text: "It was stopped." } }
    : { toast: { text: "It had ended already.", tone: "attention" } };
}
