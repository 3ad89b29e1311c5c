import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/command.ts"],
  format: "esm",
  target: "node22",
  outExtension: () => ({ js: ".mjs" }),
  removeNodeProtocol: false,
  clean: true,
});
