import type { Kind } from "../wire.ts";

/** How the two kinds are shown. */
export const kinds: Readonly<
  Record<Kind, { label: string; icon: string; about: string }>
> = {
  prompt: {
    label: "Prompt",
    icon: "i-lucide-message-square-text",
    about: "Goes to an agent, or into the terminal of an agent CLI.",
  },
  command: {
    label: "Command",
    icon: "i-lucide-square-terminal",
    about: "Is pasted into a shell and run, after one confirmation.",
  },
};
