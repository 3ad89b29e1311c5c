import { text } from "node:stream/consumers";
import { defineCommand } from "citty";
import { containFaults } from "@gantry/kernel/contain-faults";
import { startKernel } from "@gantry/kernel/kernel";
import { rehearseHome } from "@gantry/kernel/rehearsal/rehearse-home";
import { version } from "@gantry/kernel/version";
import type { RehearsalOrder } from "@gantry/kernel/rehearsal";
import { UserError } from "@gantry/system/user-error";
import { homeArgument, homeOf } from "./running-daemon.ts";

/** The process ends after this time if the daemon that started it is gone. */
const LIMIT_MS = 90_000;

/** Tries a start on a copy of a home, for the running daemon, which sends the options on standard input. */
export const rehearse = defineCommand({
  meta: {
    name: "rehearse",
    description: "Try a start on a copy of a home (used by the daemon)",
    hidden: true,
  },
  args: homeArgument,
  async run({ args }) {
    const home = homeOf(args).folder;
    const order = await readOrder();
    keepProcessesAlive();
    setTimeout(() => process.exit(1), LIMIT_MS).unref();
    const { plugins } = await rehearseHome(startKernel, {
      ...order,
      home,
      version,
      beforePlugins: containFaults,
      signal: new AbortController().signal,
    });
    process.stdout.write(`\n${JSON.stringify({ plugins })}\n`, () =>
      process.exit(0),
    );
  },
});

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
 * From records in the copy, plugins find processes of the running daemon, and must not end them. Checking for their
 * existence is allowed.
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
