import { runSlashCommand } from "./commands.ts";
import type { Conversation, Conversations } from "./conversations.ts";
import { Performance, type Audience } from "./performance.ts";
import { readScript } from "./script.ts";

/** What a prompt is played in. */
export interface Stage {
  audience: Audience;
  conversations: Conversations;
  conversation: Conversation;
  signal: AbortSignal;
}

/** Does what a prompt says and keeps both sides. Rejects with the signal's reason when the turn is cancelled. */
export async function playPrompt(
  { text, images }: { text: string; images: number },
  { audience, conversations, conversation, signal }: Stage,
): Promise<void> {
  const performance = new Performance(
    audience,
    conversations,
    conversation,
    signal,
  );
  try {
    await conversations.say(conversation, { role: "user", text });
    performance.acknowledge(text);
    const steps =
      (await runSlashCommand(text, conversation, conversations)) ??
      readScript(text);
    if (steps.length > 0) await performance.play(steps);
    else performance.say(plainAnswer(text, images));
  } finally {
    if (performance.text) {
      const said = { role: "agent", text: performance.text } as const;
      await conversations.say(conversation, said);
    }
  }
}

function plainAnswer(text: string, images: number): string {
  const pictures =
    images === 0
      ? ""
      : images === 1
        ? " (with 1 picture)"
        : ` (with ${images} pictures)`;
  return `practice: ${text.split("\n", 1)[0]?.trim() ?? ""}${pictures}`;
}
