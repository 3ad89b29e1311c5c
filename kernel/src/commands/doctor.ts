import { defineCommand } from "citty";
import { resolveHome } from "../config/config.ts";
import { examine } from "../doctor/examine.ts";
import { findRunningDaemon, homeArgument } from "./running-daemon.ts";

/** Looks at the home and the running daemon and tells what is wrong. Exits 1 if anything serious is. */
export const doctor = defineCommand({
  meta: {
    name: "doctor",
    description: "Check the home, the daemon and the programs that it needs",
  },
  args: {
    ...homeArgument,
    json: { type: "boolean", description: "Print JSON" },
  },
  async run({ args }) {
    const findings = await examine(
      resolveHome(args, process.env),
      await findRunningDaemon(args.home),
      process.env,
    );
    if (args.json) console.log(JSON.stringify({ findings }));
    else
      for (const { level, what, fix } of findings)
        console.log(`${SIGN[level]} ${what}${fix ? `\n    ${fix}` : ""}`);
    if (findings.some(({ level }) => level === "high")) process.exitCode = 1;
  },
});

const SIGN = { ok: "ok   ", low: "note ", high: "WRONG" } as const;
