export { createConfig } from "./config.ts";
export { gantryRules } from "./plugin.ts";
