import { toShortTitle } from "../agents/toShortTitle.ts";
import type { Agent, Cli } from "../wire.ts";

/** A way to send what was written. */
export interface SendChoice {
  kind: "prompt" | "steer" | "follow_up";
  label: string;
  icon: string;
  /** As `KeyHint` takes it. */
  keys: string;
}

/** What the composer offers right now. */
export interface SendChoices {
  /** Why nothing can be sent. */
  blocked: string | undefined;
  first: SendChoice;
  /** Only while a turn runs. */
  second: SendChoice | undefined;
  /** Why pictures cannot be attached. */
  noPictures: string | undefined;
}

/** The command that a text is, if it is one for the shell: `!` and what follows. */
export function toShellCommand(text: string): string | undefined {
  const command = /^!\s*(\S[^]*)$/.exec(text)?.[1];
  return command?.trimEnd();
}

/** What is offered instead of sending while a command is written. */
export const runCommand: SendChoice = {
  kind: "prompt",
  label: "Run",
  icon: "i-lucide-play",
  keys: "enter",
};

/** What is known when something is to be sent. */
export interface ComposerSituation {
  agent: Pick<Agent, "mode" | "name">;
  cli: Cli | undefined;
  /** A turn runs. */
  running: boolean;
}

/** Says what can be done with a message: during a turn it goes into it, where the CLI can, or waits for its end. */
export function chooseSending(situation: ComposerSituation): SendChoices {
  const { cli, running } = situation;
  const steer = running && (cli?.capabilities.steer ?? false);
  const after: SendChoice = {
    kind: "follow_up",
    label: "Send after this turn",
    icon: "i-lucide-list-end",
    keys: steer ? "mod+enter" : "enter",
  };
  const now: SendChoice = steer
    ? {
        kind: "steer",
        label: "Send now",
        icon: "i-lucide-corner-down-right",
        keys: "enter",
      }
    : {
        kind: "prompt",
        label: "Send",
        icon: "i-lucide-arrow-up",
        keys: "enter",
      };
  return {
    blocked: blockedBy(situation),
    first: running && !steer ? after : now,
    second: steer ? after : undefined,
    noPictures: noPicturesFor(situation),
  };
}

function noPicturesFor({ agent, cli }: ComposerSituation): string | undefined {
  if (agent.mode === "terminal") return "A terminal takes no pictures.";
  return cli && !cli.capabilities.images
    ? `${toShortTitle(cli)} takes no pictures.`
    : undefined;
}

function blockedBy({ agent, cli }: ComposerSituation): string | undefined {
  if (agent.mode === "terminal") return undefined;
  if (cli && !cli.installed)
    return `${toShortTitle(cli)} is not installed: ${cli.reason ?? "it was not found on the PATH of the daemon."}`;
  return undefined;
}
