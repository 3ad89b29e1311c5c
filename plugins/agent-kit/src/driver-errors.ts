import { defineErrors } from "@gantry/plugin";

/** Errors that drivers throw; the agents plugin includes them in its table. */
export const driverErrors = defineErrors({
  AGENT_UNSUPPORTED: {
    status: 501,
    title: "The CLI cannot do this",
    detail:
      '"{cli}" does not support {capability}; GET /api/agents/clis lists what each CLI can do.',
  },
  AGENT_NEVER_ASKS: {
    status: 409,
    title: "The CLI does not ask first",
    detail:
      '"{cli}" {reason}, so that a run that only reports could change something; choose a CLI that asks, or allow the run more.',
  },
});
