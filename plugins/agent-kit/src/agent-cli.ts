import type { AgentCapabilities } from "./capabilities.ts";
import type { AgentDriver } from "./driver.ts";

/** Arguments for a CLI's own screen, instead of those in `args`. */
export interface ScreenArguments {
  fresh: readonly string[];
  /** `{session}` is replaced by the id of the conversation to resume. */
  resume: readonly string[];
}

/**
 * Settings that make a CLI ask before it changes something or runs a program, even if its user allows that permanently.
 */
export interface AskingSettings {
  /** Added to the arguments; `{folder}` is replaced by the folder of the files. */
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Contents of files that are written before the start, by name. */
  files: Readonly<Record<string, string>>;
}

/** Capabilities that a CLI may lack although its driver supports them. */
export type LackedCapability =
  "resume" | "images" | "permissions" | "clone" | "compact";

/**
 * How a CLI is started, and what its driver cannot determine itself. Same format as under `clis` in the configuration.
 */
export interface CliSettings {
  /** Name of the {@link AgentDriver} that implements its protocol. */
  driver: string;
  /** A name on the PATH or an absolute path. */
  command: string;
  /** Arguments placed before those of the driver. */
  args: readonly string[];
  /** Added to the environment. */
  env: Readonly<Record<string, string>>;
  /** Which spending it reports. */
  cost?: AgentCapabilities["cost"] | undefined;
  /** Complete arguments with which it prints its version and exits. */
  version?: readonly string[] | undefined;
  screen?: ScreenArguments | undefined;
  /** Arguments of its own login, instead of `args`. */
  login?: readonly string[] | undefined;
  asksFirst?: AskingSettings | undefined;
  lacks?: readonly LackedCapability[] | undefined;
  /** Replaces those of the driver, see {@link AgentDriver.trustPaths}. */
  trustPaths?: readonly string[] | undefined;
}

/** Conversations that a CLI stores in a folder of {@link AgentDrivers.folder}. They are deleted with their agents. */
export interface KeptConversations {
  /** `agentId` is the agent that the conversation was started for, `null` if unknown. */
  list(): Promise<{ id: string; agentId: string | null }[]>;
  /** Deletes a conversation. Idempotent. */
  remove(id: string): Promise<void>;
}

/** A CLI that a plugin adds; it needs no configuration. The configuration may override its settings. */
export interface AgentCli extends CliSettings {
  /** Kebab-case, unique among all CLIs. Stored with agents, so it must never change. */
  name: string;
  /** Priority as the default CLI: lowest first. CLIs of the configuration have 1000. */
  order: number;
  /** Its name in lists; defaults to `name`. */
  title?: string;
  /** Needs neither a model nor an account and serves for trying things out. */
  isPractice?: boolean;
  /** The configuration cannot override it. */
  isFixed?: boolean;
  /** A version that need not be queried; replaces {@link CliSettings.version}. */
  knownVersion?: string;
  /** The path shown in lists, where {@link CliSettings.command} is only its interpreter. */
  program?: string;
  /** Its capabilities, known without a start. */
  capabilities?: AgentCapabilities;
  /** Name of an environment variable that is set to the agent's id. */
  agentVariable?: string;
  /** Methods that replace those of the driver. */
  overrides?: Pick<
    AgentDriver,
    "screen" | "login" | "nativeRecord" | "holdsPrompt"
  >;
  conversations?: KeptConversations;
}
