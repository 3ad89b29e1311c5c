import { definePlugin } from "@gantry/plugin";
import { errors } from "./errors.ts";
import { createRoutes } from "./routes/routes.ts";
import { createParts, needs } from "./workspace-parts.ts";

export default definePlugin({
  id: "workspace",
  api: 1,
  summary: "Files, changes and history of the folders that agents work in",
  mounts: [
    "/api/agents/{id}/blob",
    "/api/agents/{id}/browse",
    "/api/agents/{id}/delivery",
    "/api/agents/{id}/file",
    "/api/agents/{id}/files",
    "/api/agents/{id}/git",
    "/api/agents/{id}/gitdiff",
    "/api/agents/{id}/gitstatus",
    "/api/agents/{id}/pr",
    "/api/agents/{id}/reveal",
    "/api/agents/{id}/text",
  ],
  needs,
  errors,
  async setup(ctx) {
    const parts = await createParts(ctx);
    for (const route of createRoutes(parts)) ctx.route(route);
  },
});
