import { runSlashCommand } from "./commands.ts";
import { Performance, type Stage } from "./performance.ts";
import { readScript } from "./script.ts";

/** Does what a prompt says and keeps both sides. Rejects with the signal's reason when the turn is cancelled. */
export async function playPrompt(
  { text, images }: { text: string; images: number },
  stage: Stage,
): Promise<void> {
  const { conversations, conversation } = stage;
  const performance = new Performance(stage);
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
