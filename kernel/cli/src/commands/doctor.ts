import { createCommand } from "../command-line/create-command.ts";
import { examineStopped } from "@gantry/kernel/doctor/examine";
import { renderReport } from "@gantry/kernel/doctor/render-report";
import type { DoctorReport } from "@gantry/kernel/doctor/report";
import { completePath } from "@gantry/system/processes/complete-path";
import { deliveredPlugins } from "./delivered-plugins.ts";
import { findRunningDaemon, homeOf } from "./running-daemon.ts";

/** Time that a daemon gets to say how it stands. */
const PATIENCE_MS = 5_000;

/** Looks at the home and the running daemon and tells what is wrong. Exits 1 if anything serious is. */
export const doctor = createCommand(
  "doctor",
  "Report the state of the daemon and its home, and what to fix; exits 1 if something is seriously wrong",
  {
    json: { type: "boolean", description: "Print JSON" },
  },
  async (args) => {
    const report = await examine(args.home);
    console.log(args.json ? JSON.stringify(report) : renderReport(report));
    if (report.findings.some(({ severity }) => severity === "high"))
      process.exitCode = 1;
  },
);

/** Asks the daemon, or looks from outside if there is none or it says nothing. */
async function examine(home: string | undefined): Promise<DoctorReport> {
  const daemon = await findRunningDaemon(home);
  const answer = await daemon
    ?.call<DoctorReport>("doctor", {}, AbortSignal.timeout(PATIENCE_MS))
    .catch(() => undefined);
  if (answer) return answer;
  const builtinPlugins = deliveredPlugins();
  await completePath(process.env);
  return examineStopped(
    {
      home: homeOf({ home }).folder,
      environment: process.env,
      builtinPlugins,
    },
    daemon !== undefined,
  );
}
