import type { PluginContext } from "@gantry/plugin";
import type { ProcessIdentity, ProgramView } from "@gantry/process-kit";
import * as z from "zod";
import type { AppAction, AppActionResult } from "../contract.ts";
import { errors } from "../errors.ts";

/** An action has 5 s, and a program that takes no notice of TERM ends after that. */
const MAX_WAIT_MS = 3_500;

const stopArgs = z.object({
  pid: z.int(),
  startedAt: z.string(),
  member: z.object({ pid: z.int(), startTime: z.string() }).optional(),
});

/**
 * The button that stops a program, or a process of it; {@link stopProgram} does what it asks for.
 *
 * @param member The process that is stopped, if the program itself continues.
 */
export function toStopButton(
  { pid, startedAt }: { pid: number; startedAt: string },
  member: ProcessIdentity | undefined,
  confirm: string,
) {
  const part = member && { pid: member.pid, startTime: member.startTime };
  return {
    label: "Stop",
    icon: "i-lucide-square",
    action: "stop",
    args: { pid, startedAt, ...(part && { member: part }) },
    confirm,
    isDanger: true,
  };
}

/** Dependencies of {@link stopProgram}. */
export interface StopHost extends Pick<PluginContext, "daemon" | "clock"> {
  programs: ProgramView;
}

/**
 * Ends a program that a plugin runs, or a process of it. The host of terminals is not ended: all of them would end.
 *
 * @throws APP_REFUSED for that one, and for any other action
 */
export async function stopProgram(
  app: string,
  { action, args }: AppAction,
  { daemon, clock, programs }: StopHost,
): Promise<AppActionResult> {
  const parsed = stopArgs.safeParse(args);
  if (action !== "stop" || !parsed.success)
    throw errors.APP_REFUSED({
      id: app,
      reason: `There is no action ${action} with these arguments.`,
    });
  const { member, ...wanted } = parsed.data;
  const isOfMany = (await daemon.programs()).some(
    ({ pid, startedAt, isHost, subject }) =>
      pid === wanted.pid &&
      startedAt === wanted.startedAt &&
      isHost &&
      subject === null,
  );
  if (isOfMany && !member)
    throw errors.APP_REFUSED({
      id: app,
      reason: `All terminals run in process ${wanted.pid}; stop what runs in one of them, or close it on its page.`,
    });
  let cancel = () => {};
  const late = new Promise<"late">((resolve) => {
    cancel = clock.after(MAX_WAIT_MS, () => resolve("late"));
  });
  const ended = await Promise.race([programs.end(parsed.data), late]);
  cancel();
  if (ended === "late") return { toast: { text: "It is being stopped." } };
  return ended
    ? { toast: { text: "It was stopped." } }
    : { toast: { text: "It had ended already.", tone: "attention" } };
}
