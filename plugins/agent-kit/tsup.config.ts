import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    tools: "src/tools.ts",
    testing: "testing/index.ts",
    conformance: "conformance/index.ts",
    "stand-in": "stand-in/index.ts",
  },
  format: "esm",
  platform: "node",
  target: "node22",
  outExtension: () => ({ js: ".mjs" }),
  external: ["@gantry/plugin-testing", "vitest"],
  dts: true,
  clean: true,
});
