import { defineConfig } from "tsup";
import { bundle } from "../core/tsup.config.ts";

export default defineConfig({ ...bundle, entry: { main: "src/main.ts" } });
