import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/index.ts", "src/conformance.ts"],
  format: "esm",
  platform: "node",
  target: "node22",
  outExtension: () => ({ js: ".mjs" }),
  external: ["vitest"],
  dts: true,
  clean: true,
});
