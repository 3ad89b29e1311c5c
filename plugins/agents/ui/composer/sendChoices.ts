import { toShortTitle } from "../agents/toShortTitle.ts";
import type { Agent, Cli } from "../wire.ts";

/** A way to send the draft. */
export interface SendChoice {
  kind: "prompt" | "steer" | "follow_up";
  label: string;
  icon: string;
  /** Shortcut, as for `KeyHint`. */
  keys: string;
}

/** Send options of the composer. */
export interface SendChoices {
  /** Why nothing can be sent. */
  blocked: string | undefined;
  first: SendChoice;
  /** Only during a turn. */
  second: SendChoice | undefined;
  /** Why images cannot be attached. */
  noImages: string | undefined;
}

/** Returns the shell command of a text that starts with `!`; otherwise `undefined`. */
export function toShellCommand(text: string): string | undefined {
  const command = /^!\s*(\S[^]*)$/.exec(text)?.[1];
  return command?.trimEnd();
}

/** Replaces "Send" while the draft is a shell command. */
export const runCommand: SendChoice = {
  kind: "prompt",
  label: "Run",
  icon: "i-lucide-play",
  keys: "enter",
};

/** Input of `chooseSending`. */
export interface ComposerSituation {
  agent: Pick<Agent, "mode" | "name">;
  cli: Cli | undefined;
  /** Whether a turn is in progress. */
  running: boolean;
}

/** Chooses the send options: during a turn, a message joins it where the CLI supports that, or is queued until it ends. */
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
    noImages: noImagesFor(situation),
  };
}

function noImagesFor({ agent, cli }: ComposerSituation): string | undefined {
  if (agent.mode === "terminal") return "Images cannot be sent to a terminal.";
  return cli && !cli.capabilities.images
    ? `${toShortTitle(cli)} does not accept images.`
    : undefined;
}

function blockedBy({ agent, cli }: ComposerSituation): string | undefined {
  if (agent.mode === "terminal") return undefined;
  if (cli && !cli.installed)
    return `${toShortTitle(cli)} is not installed: ${cli.reason ?? "no reason given."}`;
  return undefined;
}
