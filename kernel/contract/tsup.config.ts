import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/index.ts", "src/zod.ts"],
  format: "esm",
  outExtension: () => ({ js: ".mjs" }),
  platform: "neutral",
  dts: true,
  clean: true,
});
