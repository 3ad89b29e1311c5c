import { readdirSync } from "node:fs";
import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/command.ts"],
  format: "esm",
  target: "node22",
  outExtension: () => ({ js: ".mjs" }),
  removeNodeProtocol: false,
  clean: true,
  // Packed, it has no plugins beside it to look at.
  define: { PACKED_PLUGINS: JSON.stringify(readdirSync("../../plugins")) },
});
