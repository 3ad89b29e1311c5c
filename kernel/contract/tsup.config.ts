import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/index.ts", "src/zod.ts"],
  format: "esm",
  platform: "neutral",
  outExtension: () => ({ js: ".mjs" }),
  dts: true,
  clean: true,
});
