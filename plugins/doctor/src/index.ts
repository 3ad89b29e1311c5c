import { definePlugin } from "@gantry/plugin";
import { createDoctorRoute } from "./routes/doctor.ts";
import { createQuarantineRoutes } from "./routes/quarantine.ts";
import { watchStalls } from "./stall-watch.ts";

/** Tells how the daemon stands, as `gantry doctor` does, and lets records out of quarantine. */
export default definePlugin({
  id: "doctor",
  api: 1,
  summary: "Tells how the daemon stands, and what to fix",
  mounts: ["/api/doctor"],
  setup(ctx) {
    const { quarantine } = ctx.daemon;
    if (!quarantine) throw new TypeError("It has to be a system plugin.");
    const stalls = watchStalls(ctx);
    ctx.own(stalls.stop);
    ctx.route(createDoctorRoute(ctx, stalls.recent));
    for (const route of createQuarantineRoutes(quarantine)) ctx.route(route);
  },
});
