import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts", testing: "testing/plain-git.ts" },
  format: "esm",
  platform: "node",
  target: "node22",
  outExtension: () => ({ js: ".mjs" }),
  dts: true,
  clean: true,
});
