import { text } from "node:stream/consumers";
import { createCommand } from "../command-line/create-command.ts";
import { containFaults } from "../contain-faults.ts";
import { rehearseHome } from "@gantry/kernel/rehearsal/rehearse-home";
import type { RehearsalOrder } from "@gantry/kernel/rehearsal/rehearsal";
import { UserError } from "@gantry/system/user-error";
import { version } from "@gantry/kernel/version";
import { homeOf } from "./running-daemon.ts";

/** After this it ends by itself, if the daemon that started it is gone. */
const LIMIT_MS = 90_000;

/** Tries a start on a copy of a home for the daemon that runs, which tells it the rest over standard input. */
export const rehearse = createCommand(
  "rehearse",
  "Try a start on a copy of a home (used by the daemon)",
  {},
  async (args) => {
    const home = homeOf(args).folder;
    const order = await readOrder();
    keepProcessesAlive();
    setTimeout(() => process.exit(1), LIMIT_MS).unref();
    const { signal } = new AbortController();
    const outcome = await rehearseHome(home, order, signal, {
      version,
      beforePlugins: containFaults,
    });
    process.stdout.write(`\n${JSON.stringify(outcome)}\n`, () =>
      process.exit(0),
    );
  },
);

async function readOrder(): Promise<RehearsalOrder> {
  try {
    return JSON.parse(await text(process.stdin)) as RehearsalOrder;
  } catch (cause) {
    throw new UserError(
      "`gantry rehearse` is run by a daemon, which tells it what to try.",
      { cause },
    );
  }
}

/**
 * Plugins find processes of the daemon that runs in the records of the copy, and must not end them. Whether one is there may
 * be asked.
 */
function keepProcessesAlive(): void {
  const kill = process.kill.bind(process);
  process.kill = (pid, signal) => {
    if (signal === 0) return kill(pid, signal);
    throw Object.assign(new Error("Not permitted while a start is tried."), {
      code: "EPERM",
    });
  };
}
