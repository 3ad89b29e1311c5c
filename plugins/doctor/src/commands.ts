import { definePluginCommands } from "@gantry/plugin";
import type { CommandInput } from "@gantry/plugin";
import { examine } from "./examine.ts";
import { renderReport } from "./render-report.ts";
import type { DoctorReport } from "./report.ts";

/** Time that a daemon gets to say how it stands. */
const PATIENCE_MS = 5_000;
const DESCRIPTION =
  "Report the state of the daemon and its home, and what to fix; exits 1 if something is seriously wrong";

/** `gantry doctor` looks at the home and the running daemon and tells what is wrong. */
export default definePluginCommands({
  name: "doctor",
  description: DESCRIPTION,
  commands: {
    doctor: {
      description: DESCRIPTION,
      options: { json: { type: "boolean", description: "Print JSON" } },
      async run(input) {
        const { args, print } = input;
        const report = await look(input);
        print(args["json"] ? JSON.stringify(report) : renderReport(report));
        if (report.findings.some(({ severity }) => severity === "high"))
          process.exitCode = 1;
      },
    },
  },
});

/** Asks the daemon, or looks from outside if there is none or it says nothing. */
async function look({
  daemon,
  facts,
  find,
  signal,
}: CommandInput): Promise<DoctorReport> {
  const limit = { signal: AbortSignal.timeout(PATIENCE_MS) };
  const answer = await daemon
    ?.call("GET", "/api/doctor", undefined, limit)
    .catch(() => signal.throwIfAborted());
  if (answer) return answer as DoctorReport;
  return examine(await facts(), { find, isSilent: daemon !== undefined });
}
