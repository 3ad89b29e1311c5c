import { defineConfig } from "tsup";

export default defineConfig({
  entry: [
    "src/index.ts",
    "src/testing.ts",
    "src/vitest.ts",
    "src/vitest-setup.ts",
    "src/vitest-temporary.ts",
  ],
  format: "esm",
  target: "node22",
  outExtension: () => ({ js: ".mjs" }),
  removeNodeProtocol: false,
  clean: true,
});
