import type { NewEvent } from "@gantry/plugin";
import { SnippetSent } from "../contract.ts";
import type {
  Snippet,
  SnippetConfirmation,
  SnippetSending,
  SnippetTarget,
} from "../contract.ts";
import { errors } from "../errors.ts";
import { hasControl, toVisible } from "../language/to-visible.ts";
import { toBrief } from "../library/snippet-record.ts";
import type { Confirmations } from "./confirmations.ts";
import { expandSnippet } from "./expand-snippet.ts";
import type { GivenValues } from "./expand-snippet.ts";
import type { Target, Targets } from "./targets.ts";

/** What is to be sent, and where to. */
export interface Sending {
  target: SnippetTarget;
  values: GivenValues;
  confirm?: string;
  /** Pictures for an agent. */
  images: readonly { mimeType: string; data: string }[];
}

/** Dependencies of sending. */
export interface SenderHost {
  targets: Targets;
  confirmations: Confirmations;
  emit(...events: NewEvent[]): Promise<void>;
  /** Aborts when the plugin stops. A client that leaves does not take back what it sent. */
  signal: AbortSignal;
}

type AgentTarget = Extract<Target, { type: "agent" }>;
type TerminalTarget = Extract<Target, { type: "terminal" }>;

/** Sends snippets to agents and into terminals. */
export function createSender(host: SenderHost) {
  const { targets, confirmations, emit, signal } = host;

  async function toAgent(
    target: AgentTarget,
    message: string,
    images: Sending["images"],
  ): Promise<Pick<SnippetSending, "delivery" | "taskId">> {
    const { id: agentId, messages } = target;
    const { taskId, delivery } = await messages.prompt(
      { agentId, message, images, kind: "prompt", source: "snippet" },
      signal,
    );
    return { taskId, delivery };
  }

  async function toTerminal(
    { id, pane, panes }: TerminalTarget,
    text: string,
  ): Promise<Pick<SnippetSending, "delivery" | "taskId">> {
    const input = { id, incarnation: pane.incarnation, text };
    await (pane.kind === "cli"
      ? panes.prompt(input, signal)
      : panes.run(input, signal));
    return { taskId: null, delivery: "sent" };
  }

  /**
   * Sends a snippet, or stops at the confirmation that a command needs.
   *
   * @throws what targets and values are refused with, `SNIPPET_KIND`, `SNIPPET_CONFIRMATION`, `SNIPPET_TERMINAL_BUSY`,
   * and what the plugin behind the target refuses
   */
  return async function send(
    snippet: Snippet,
    { target: wanted, values, confirm, images }: Sending,
  ): Promise<SnippetSending | SnippetConfirmation> {
    const target = await targets.find(wanted, snippet.placeholders, signal);
    checkKind(snippet, target, images.length > 0);
    if (target.type === "terminal") checkKeys(values, target, snippet);
    const text = toText(snippet, values, target);
    if (snippet.kind === "command" && target.type === "terminal") {
      const { id: terminalId, pane } = target;
      const subject = {
        snippetId: snippet.id,
        terminalId,
        incarnation: pane.incarnation,
        text,
      };
      // Before the confirmation is used up: the shell may be free a moment later.
      checkPrompt(target);
      if (confirm === undefined)
        return {
          needsConfirmation: true,
          ...confirmations.open(subject),
          terminal: { id: terminalId, name: pane.name, cwd: pane.cwd },
          text,
          visible: toVisible(text),
        };
      if (!confirmations.take(confirm, subject))
        throw errors.SNIPPET_CONFIRMATION();
    } else if (confirm !== undefined) throw errors.SNIPPET_CONFIRMATION();
    const outcome =
      target.type === "agent"
        ? await toAgent(target, text, images)
        : await toTerminal(target, text);
    const { type, id, name } = target;
    await emit(
      SnippetSent.of(snippet.id, { ...toBrief(snippet), target: { type, id } }),
    );
    return {
      needsConfirmation: false,
      target: { type, id, name },
      text,
      ...outcome,
    };
  };
}
export type Send = ReturnType<typeof createSender>;

function checkKind(
  { kind }: Snippet,
  target: Target,
  hasImages: boolean,
): void {
  const isCommand = kind === "command";
  const refuse = (reason: string) => errors.SNIPPET_KIND({ reason });
  if (target.type === "agent") {
    if (isCommand)
      throw refuse(
        "a command is run in a shell; choose a terminal with a shell in it.",
      );
    return;
  }
  const { name, kind: pane } = target.pane;
  if (isCommand && pane === "cli")
    throw refuse(
      `"${name}" shows an agent CLI; a command needs a terminal with a shell in it.`,
    );
  if (!isCommand && pane === "shell")
    throw refuse(
      `"${name}" has a shell in it, which would run a prompt as a command; choose an agent, or the terminal of an agent CLI.`,
    );
  if (hasImages)
    throw refuse("pictures go to agents only; send it without them.");
}

/** Nothing that a terminal would take for a key may come in with a value. */
function checkKeys(
  values: GivenValues,
  { context }: Target,
  { placeholders }: Snippet,
): void {
  for (const [name, value] of Object.entries(values))
    if (hasControl(value))
      throw errors.SNIPPET_VALUE_CONTROL(
        { name: name.slice(0, 40) },
        {
          errors: [
            {
              path: `values.${name.slice(0, 40)}`,
              message: "has a control character",
            },
          ],
        },
      );
  // The user did not type these values: a line break in a folder's name would begin a command of its own.
  for (const { name, reserved } of placeholders) {
    const value = reserved && context[name as keyof typeof context];
    if (value && /\p{Cc}/u.test(value))
      throw errors.SNIPPET_VALUE_CONTROL({ name });
  }
}

function toText(snippet: Snippet, values: GivenValues, target: Target): string {
  const { context, name } = target;
  const { text, missing } = expandSnippet(snippet, values, context);
  const isReserved = (word: string) =>
    snippet.placeholders.some((row) => row.name === word && row.reserved);
  const unknown = missing.filter(isReserved);
  const asked = missing.filter((word) => !isReserved(word));
  if (asked.length > 0)
    throw errors.SNIPPET_VALUE_MISSING(
      { names: asked },
      {
        errors: asked.map((word) => ({
          path: `values.${word}`,
          message: "a value is needed",
        })),
      },
    );
  if (unknown.length > 0)
    throw errors.SNIPPET_CONTEXT_MISSING({ target: name, names: unknown });
  return text;
}

function checkPrompt({ pane }: TerminalTarget): void {
  if (!pane.atPrompt) throw errors.SNIPPET_TERMINAL_BUSY({ name: pane.name });
}
