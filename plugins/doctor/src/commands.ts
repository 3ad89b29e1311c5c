import { definePluginCommands } from "@gantry/plugin";
import { examine } from "./examine.ts";
import { renderReport } from "./render-report.ts";

export default definePluginCommands({
  name: "doctor",
  description:
    "Report the state of the daemon and its home, and what to fix; exits 1 if something is seriously wrong",
  command: {
    description:
      "Report the state of the daemon and its home, and what to fix; exits 1 if something is seriously wrong",
    options: { json: { type: "boolean", description: "Print JSON" } },
    async run({ args, facts, print }) {
      const report = await examine(facts);
      print(args.json ? JSON.stringify(report) : renderReport(report));
      const isSerious = report.findings.some(
        ({ severity }) => severity === "high",
      );
      return isSerious ? 1 : 0;
    },
  },
});
