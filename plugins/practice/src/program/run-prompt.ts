import { runSlashCommand } from "./commands.ts";
import { ScriptRunner, type PromptContext } from "./script-runner.ts";
import { readScript } from "./script.ts";

/**
 * Runs a prompt and stores the messages of both sides. Rejects with the signal's reason when the turn is cancelled.
 */
export async function runPrompt(
  { text, images }: { text: string; images: number },
  context: PromptContext,
): Promise<void> {
  const { conversations, conversation } = context;
  const runner = new ScriptRunner(context);
  try {
    await conversations.say(conversation, { role: "user", text });
    runner.acknowledge(text);
    const steps =
      (await runSlashCommand(text, conversation, conversations)) ??
      readScript(text);
    if (steps.length > 0) await runner.run(steps);
    else runner.say(plainAnswer(text, images));
  } finally {
    if (runner.text) {
      const said = { role: "agent", text: runner.text } as const;
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
