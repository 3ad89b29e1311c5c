import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Variables that a CLI is started with. */
export type CliEnvironment = Record<string, string>;

/** A user of Claude Code whose model is our server; gives what the CLI is to find in its environment. */
export async function writeClaudeHome(
  home: string,
  modelUrl: string,
  trusted: readonly string[] = [],
): Promise<CliEnvironment> {
  await mkdir(home, { recursive: true });
  const key = "sk-test";
  const projects = Object.fromEntries(
    trusted.map((cwd) => [cwd, { hasTrustDialogAccepted: true }]),
  );
  const state = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: [key], rejected: [] },
    projects,
  };
  await writeFile(join(home, ".claude.json"), JSON.stringify(state));
  return {
    HOME: home,
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: key,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
  };
}

/** A user of Codex whose model is our server. */
export async function writeCodexHome(
  home: string,
  modelUrl: string,
  trusted: readonly string[] = [],
): Promise<CliEnvironment> {
  await mkdir(home, { recursive: true });
  const projects = trusted.map(
    (cwd) => `[projects.${JSON.stringify(cwd)}]\ntrust_level = "trusted"`,
  );
  const config = `
model = "gpt-5.5"
model_provider = "local"
sandbox_mode = "workspace-write"
check_for_update_on_startup = false
analytics.enabled = false
features = { plugins = false, apps = false, daemon_auto_start = false }
[model_providers.local]
name = "Local"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "LOCAL_KEY"
${projects.join("\n")}
`;
  await writeFile(join(home, "config.toml"), config);
  return { HOME: home, CODEX_HOME: home, LOCAL_KEY: "sk-test" };
}

/** A user of opencode whose model is our server, and who is asked before each command and edit. */
export async function writeOpencodeHome(
  home: string,
  modelUrl: string,
): Promise<CliEnvironment> {
  await mkdir(home, { recursive: true });
  const file = join(home, "opencode.json");
  const price = { input: 3, output: 15 };
  const limit = { context: 200_000, output: 8000 };
  const config = {
    autoupdate: false,
    share: "disabled",
    model: "local/model-1",
    small_model: "local/model-2",
    permission: { bash: "ask", edit: "ask" },
    provider: {
      local: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: `${modelUrl}/v1`, apiKey: "sk-test" },
        models: {
          "model-1": { tool_call: true, cost: price, limit },
          "model-2": {},
        },
      },
    },
  };
  await writeFile(file, JSON.stringify(config));
  return {
    HOME: home,
    OPENCODE_CONFIG: file,
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  };
}

/** A user of Gemini CLI whose model is our server. */
export async function writeGeminiHome(
  home: string,
  modelUrl: string,
): Promise<CliEnvironment> {
  const folder = join(home, ".gemini");
  await mkdir(folder, { recursive: true });
  const settings = {
    security: {
      auth: { selectedType: "gemini-api-key" },
      folderTrust: { enabled: false },
    },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    model: { name: "gemini-2.5-pro" },
  };
  await writeFile(join(folder, "settings.json"), JSON.stringify(settings));
  return {
    HOME: home,
    GEMINI_API_KEY: "sk-test",
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_TELEMETRY_ENABLED: "false",
  };
}
