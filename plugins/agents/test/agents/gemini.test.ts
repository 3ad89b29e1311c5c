import { installCli, writeGeminiHome } from "@gantry/model-server";
import { describe, test } from "vitest";
import { KNOWN_CLIS } from "../help/known-clis.ts";
import { testRealCli } from "./real-suite.ts";

const installed = await installCli("gemini");
const config = KNOWN_CLIS["gemini"];

if (!installed || !config) {
  describe("the real Gemini CLI", () => {
    test.skip("is not installed and the registry is out of reach", () =>
      undefined);
  });
} else {
  const { program, version } = installed;

  testRealCli({
    name: "Gemini CLI",
    version,
    driver: "gemini",
    configure: async (home, models) => ({
      ...config,
      command: process.execPath,
      args: [program, ...config.args],
      version: [program, "--version"],
      env: await writeGeminiHome(home, models.url),
    }),
    resumes: false,
    steers: false,
    asks: true,
    quietTools: true,
    price: null,
    tokens: false,
    extraPrompt: false,
  });
}
