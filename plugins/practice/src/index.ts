import { AgentDrivers } from "@gantry/agent-kit";
import { definePlugin } from "@gantry/plugin";
import { createPracticeCli, PRACTICE } from "./practice-cli.ts";

export default definePlugin({
  id: "practice",
  api: 1,
  summary: "An agent without a model, to try things out with",
  mounts: [],
  needs: { drivers: AgentDrivers },
  async setup({ needs: { drivers }, signal }) {
    const folder = await drivers.folder({ cli: PRACTICE }, signal);
    await drivers.add({ clis: [createPracticeCli(folder)] }, signal);
  },
});
