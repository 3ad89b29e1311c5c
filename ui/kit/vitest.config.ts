import shared from "@gantry/build/vitest";
import vue from "@vitejs/plugin-vue";
import { mergeConfig } from "vitest/config";

export default mergeConfig(shared, {
  plugins: [vue()],
  test: {
    environment: "./test/support/quietEnvironment.ts",
  },
});
