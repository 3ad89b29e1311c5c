import { rm } from "node:fs/promises";
import { defineConfig } from "tsup";
import type { Options } from "tsup";

const shared: Options = {
  format: "esm",
  outExtension: () => ({ js: ".mjs" }),
  dts: true,
};

export default defineConfig(async () => {
  // Not left to either of the two, which would take away what the other has written.
  await rm("dist", { recursive: true, force: true });
  return [
    { ...shared, entry: ["src/index.ts", "src/zod.ts"], platform: "neutral" },
    // The entries that need Node itself.
    {
      ...shared,
      entry: ["src/files.ts", "src/processes.ts"],
      platform: "node",
      target: "node22",
      removeNodeProtocol: false,
    },
  ];
});
