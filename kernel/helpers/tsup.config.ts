import { rm } from "node:fs/promises";
import { defineConfig } from "tsup";
import type { Options } from "tsup";

const shared: Options = {
  format: "esm",
  outExtension: () => ({ js: ".mjs" }),
  dts: true,
};

export default defineConfig(async () => {
  // Not left to one of the two, which would remove the output of the other.
  await rm("dist", { recursive: true, force: true });
  return [
    {
      ...shared,
      entry: ["src/calendar.ts", "src/reading-git.ts"],
      platform: "neutral",
    },
    {
      ...shared,
      entry: ["src/processes.ts"],
      platform: "node",
      target: "node22",
      removeNodeProtocol: false,
    },
  ];
});
