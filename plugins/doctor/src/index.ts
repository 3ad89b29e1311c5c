import { definePlugin, KernelFacts, KernelQuarantine } from "@gantry/plugin";
import { createDoctorRoutes } from "./doctor-routes.ts";

export default definePlugin({
  id: "doctor",
  api: 1,
  summary: "Checks the daemon, its home and the machine",
  mounts: ["/api/doctor"],
  needs: { facts: KernelFacts, quarantine: KernelQuarantine },
  setup(ctx) {
    for (const route of createDoctorRoutes(ctx.needs)) ctx.route(route);
  },
});
