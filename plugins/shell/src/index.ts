import { definePlugin } from "@gantry/plugin";
import { config } from "./config.ts";
import { createPages } from "./content/pages.ts";
import { createReference } from "./content/reference.ts";
import { createSheetContent } from "./content/sheet-content.ts";
import { createUtilitiesSheet } from "./utilities/utilities-sheet.ts";
import { deliveredShell } from "./delivered-shell.ts";

export default definePlugin({
  id: "shell",
  api: 1,
  summary: "The pages of the web UI, and the reference of the HTTP API",
  mounts: ["/"],
  config,
  setup(ctx) {
    const folder =
      ctx.config.folder === undefined ? deliveredShell() : ctx.config.folder;
    const sheet = createUtilitiesSheet(ctx);
    ctx.content(createSheetContent(ctx, sheet, folder ?? undefined));
    for (const content of createReference()) ctx.content(content);
    if (folder != null) ctx.content(createPages(folder));
  },
});
