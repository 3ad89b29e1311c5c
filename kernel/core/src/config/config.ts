import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import * as z from "zod";
import { isAddressOrNetwork } from "@gantry/http/peer-address";
import { issuePath } from "@gantry/system/issue-path";
import type { LogLevel } from "@gantry/system/log/log";
import { ConfigError } from "@gantry/system/user-error";

const DEFAULT_PORT = 7420;

const hostName = z
  .string()
  .regex(
    /^[a-z0-9.-]+(:\d{1,5})?$/i,
    "is not a host name, with or without a port",
  );

/** `<home>/config.json`. Every part has a default; an unknown one is an error that names it. */
export const Settings = z.strictObject({
  host: z.string().min(1).default("127.0.0.1"),
  port: z.number().int().min(0).max(65535).optional(),
  /** Ids of the plugins to run; all that are found unless given. */
  plugins: z.array(z.string()).optional(),
  publicUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** Further names that the UI is served under. */
  hosts: z.array(hostName).default([]),
  /** Names that take webhooks and nothing else. */
  hookHosts: z.array(hostName).default([]),
  /** Addresses and networks of proxies whose word on who sends a request is taken. */
  trustedProxies: z
    .array(
      z
        .string()
        .refine(
          isAddressOrNetwork,
          "is no address or network, such as 127.0.0.1 or 10.0.0.0/8",
        ),
    )
    .default([]),
  storage: z
    .union([
      z.literal("sqlite"),
      z.strictObject({
        /** `redis`, `postgresql`, or the module name of any unstorage driver. */
        driver: z.string().min(1),
        options: z.record(z.string(), z.unknown()).optional(),
      }),
    ])
    .default("sqlite"),
  https: z
    .union([
      z.boolean(),
      z.strictObject({ cert: z.string().min(1), key: z.string().min(1) }),
    ])
    .default(false),
  insecure: z.boolean().default(false),
  open: z.boolean().default(false),
  log: z.enum(["debug", "info", "warn", "error", "silent"]).optional(),
  /** Settings of plugins, by id. */
  settings: z.record(z.string(), z.unknown()).default({}),
});
type Settings = z.output<typeof Settings>;

/** What a daemon runs with. */
export interface Config extends Settings {
  home: string;
  port: number;
  /** Whether the port was asked for; one that was not may be another if it is taken. */
  portIsGiven: boolean;
  safe: boolean;
  log: LogLevel;
}

/** What was typed behind the command. A flag that was not given is `undefined`. */
export type Flags = Partial<
  Record<"home" | "host" | "port" | "plugins" | "public-url" | "log", string> &
    Record<"safe" | "https" | "insecure" | "open" | "json", boolean>
>;

/** The home folder, from flag, environment or default. */
export function resolveHome(
  flags: Pick<Flags, "home">,
  environment: NodeJS.ProcessEnv,
): string {
  // An empty variable is one that is not set; resolved it would be the current folder.
  const variable = environment.GANTRY_HOME || undefined;
  return resolve(flags.home ?? variable ?? join(homedir(), ".gantry"));
}

/**
 * Puts the configuration together: flags win over `GANTRY_*` variables, those over `<home>/config.json`.
 *
 * @throws ConfigError that names the setting and what is expected
 */
export async function loadConfig(
  flags: Flags,
  environment: NodeJS.ProcessEnv,
): Promise<Config> {
  const home = resolveHome(flags, environment);
  const file = await readConfigFile(join(home, "config.json"));
  const text = (name: keyof Flags, variable: string): string | undefined =>
    (flags[name] as string | undefined) ?? environment[variable];
  const flag = (name: keyof Flags, variable: string): boolean | undefined => {
    if (typeof flags[name] === "boolean") return flags[name];
    const value = environment[variable];
    return value === undefined
      ? undefined
      : value !== "" && value !== "0" && value !== "false";
  };

  const portText = text("port", "GANTRY_PORT");
  const plugins = text("plugins", "GANTRY_PLUGINS");
  // Checked as a whole by the schema of the file, so that each setting has one rule wherever it comes from.
  const merged = check("the settings", {
    ...file,
    ...defined({
      host: text("host", "GANTRY_HOST"),
      port: portText === undefined ? undefined : toNumber(portText),
      plugins: plugins
        ?.split(",")
        .map((id) => id.trim())
        .filter(Boolean),
      publicUrl: text("public-url", "GANTRY_PUBLIC_URL"),
      https: flag("https", "GANTRY_HTTPS"),
      insecure: flag("insecure", "GANTRY_INSECURE"),
      open: flag("open", "GANTRY_OPEN"),
      log: text("log", "GANTRY_LOG"),
    }),
  });
  return {
    ...merged,
    home,
    port: merged.port ?? DEFAULT_PORT,
    portIsGiven: merged.port !== undefined,
    safe: flag("safe", "GANTRY_SAFE") ?? false,
    // A program that reads one line wants to know more of the rest than a person who looks at a terminal.
    log: merged.log ?? (flags.json ? "info" : "warn"),
  };
}

async function readConfigFile(file: string): Promise<Settings> {
  const text = await readFile(file, "utf8").catch(
    (error: { code?: string }) => {
      if (error.code === "ENOENT") return "{}";
      throw new ConfigError(
        `${file} cannot be read: ${error.code ?? "unknown fault"}; correct that, or move it away to start with the defaults.`,
      );
    },
  );
  return parseSettings(text, file);
}

/** Reads the text of a `config.json`. @throws ConfigError that names `where` it is from, the setting and what is expected */
export function parseSettings(text: string, where = "config.json"): Settings {
  let json: unknown;
  try {
    // Editors of Windows begin a file with a byte order mark.
    json = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw new ConfigError(
      `${where} is not JSON in UTF-8; correct it, or move it away to start with the defaults.`,
    );
  }
  return check(where, json);
}

function check(where: string, input: unknown): Settings {
  const result = Settings.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issuePath(issue);
  throw new ConfigError(
    `In ${where}${path ? `, "${path}"` : ""}: ${issue?.message ?? "it does not fit"}.`,
  );
}

function toNumber(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}

function defined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  );
}
