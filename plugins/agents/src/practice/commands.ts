import type { Conversation, Conversations } from "./conversations.ts";
import { toSteps, type Step } from "./script.ts";

/** The slash commands, as they are reported to clients. */
export const COMMANDS = [
  { name: "help", description: "Says what the practice agent understands" },
  {
    name: "compact",
    description: "Forgets what was said so far, as a model's summary would",
  },
  {
    name: "plan",
    description: "Follows a plan, whose steps stand between semicolons",
    input: { hint: "look; change; check" },
  },
] as const;

const HELP = [
  "practice: I am an agent without a model. I do what markers in a prompt say:",
  "[[reply:TEXT]] [[think:TEXT]] [[run:COMMAND]] [[ask:TITLE]] [[plan:a;b;c]] [[cost:USD]] [[context:USED:SIZE]]",
  "[[sleep:MS]] [[long:WORDS:MS]] [[tools]] [[tool:NAME:{JSON}]] [[recall]] [[fail:TEXT]] [[crash]]",
  ...COMMANDS.map(({ name, description }) => `/${name}: ${description}.`),
].join("\n");

/** Runs a slash command; gives the steps to play, `undefined` if the prompt is none. */
export async function runSlashCommand(
  prompt: string,
  conversation: Conversation,
  conversations: Conversations,
): Promise<readonly Step[] | undefined> {
  const [, name, argument = ""] = /^\/([a-z]+)(?:\s+([^]*))?$/.exec(
    prompt.trim(),
  ) ?? [undefined, undefined];
  switch (name) {
    case "help":
      return [{ type: "reply", text: HELP }];
    case "plan":
      return [
        { type: "plan", steps: toSteps(argument) },
        { type: "reply", text: "practice: the plan is done." },
      ];
    case "compact": {
      // The command itself is not one of them.
      const count = conversation.said.length - conversation.knownFrom - 1;
      await conversations.compact(conversation);
      return [
        { type: "reply", text: `practice: compacted ${count} messages.` },
      ];
    }
    default:
      return undefined;
  }
}
