import { createIdentifier } from "@gantry/plugin";
import type { AgentDialog, UnattendedPolicy } from "../contract.ts";
import type {
  DialogAnswer,
  DriverDialog,
  DriverDialogOption,
} from "@gantry/agent-kit";
import { errors } from "../errors.ts";
import { onlyReads } from "../reading/only-reads.ts";
import { toOptionLabel, toQuestionText } from "./question-text.ts";

/** An open question: as shown to clients, and as the driver asked it. */
export interface OpenDialog {
  shown: AgentDialog;
  asked: DriverDialog;
}

/** The open questions of one agent, oldest first. */
export class Dialogs {
  readonly #agentId: string;
  readonly #open = new Map<string, OpenDialog>();

  constructor(agentId: string) {
    this.#agentId = agentId;
  }

  get shown(): AgentDialog[] {
    return [...this.#open.values()].map(({ shown }) => shown);
  }

  get ids(): string[] {
    return [...this.#open.keys()];
  }

  open(asked: DriverDialog): AgentDialog {
    const shown: AgentDialog = {
      id: createIdentifier("dlg"),
      agentId: this.#agentId,
      kind: asked.kind,
      ...toQuestionText(asked),
      options: asked.options.map(({ id, label, kind }) => ({
        id,
        label: toOptionLabel(label),
        kind: toShownKind(kind),
      })),
      takesText: asked.takesText,
    };
    this.#open.set(shown.id, { shown, asked });
    return shown;
  }

  /** Removes a dialog and returns it, so that only the first answer counts. `undefined` if it is not open. */
  take(dialogId: string): OpenDialog | undefined {
    const dialog = this.#open.get(dialogId);
    this.#open.delete(dialogId);
    return dialog;
  }

  /** Opens a dialog again whose answer could not be delivered. */
  restore(dialog: OpenDialog): void {
    this.#open.set(dialog.shown.id, dialog);
  }

  get(dialogId: string): OpenDialog | undefined {
    return this.#open.get(dialogId);
  }

  /** The id of the dialog that has this id for the driver. */
  idOf(askedId: string): string | undefined {
    return [...this.#open.values()].find(({ asked }) => asked.id === askedId)
      ?.shown.id;
  }
}

function toShownKind(
  kind: DriverDialogOption["kind"],
): AgentDialog["options"][number]["kind"] {
  if (kind.startsWith("allow")) return "allow";
  return kind.startsWith("reject") ? "reject" : "other";
}

/**
 * Converts a client's answer to the driver's form, and to text for the conversation (`words`).
 *
 * @throws DIALOG_ANSWER_INVALID if it does not fit the question.
 */
export function readAnswer(
  { asked }: OpenDialog,
  given: { optionId?: string; value?: string; cancelled?: boolean },
): { answer: DialogAnswer; words: string | null } {
  const invalid = (reason: string) => errors.DIALOG_ANSWER_INVALID({ reason });
  const parts = [
    given.optionId !== undefined,
    given.value !== undefined,
    given.cancelled === true,
  ];
  if (parts.filter(Boolean).length !== 1) {
    throw invalid('Give one of "optionId", "value" and "cancelled": true.');
  }
  if (given.cancelled) return { answer: { kind: "cancelled" }, words: null };
  if (given.value !== undefined) {
    if (!asked.takesText)
      throw invalid(
        'This question takes no text; answer with one of its options in "optionId".',
      );
    return {
      answer: { kind: "text", value: given.value },
      words: given.value.slice(0, 300),
    };
  }
  const option = asked.options.find(({ id }) => id === given.optionId);
  if (!option) {
    const known = asked.options.map(({ id }) => id).join(", ") || "none";
    throw invalid(`There is no such option; this question has ${known}.`);
  }
  return {
    answer: { kind: "option", optionId: option.id },
    words: toOptionLabel(option.label),
  };
}

/** Whether a request only reads, which a `report-only` policy allows without recording it. */
export function isReport(
  { tool, input }: DriverDialog,
  { mode }: UnattendedPolicy,
): boolean {
  return (
    mode === "report-only" &&
    tool !== null &&
    onlyReads({ name: tool, input: input ?? "" })
  );
}

/** The policy's answer to a question. It never allows or rejects more than the one request. */
export function answerByPolicy(
  asked: DriverDialog,
  policy: UnattendedPolicy,
): { answer: DialogAnswer; words: string; isAllowed: boolean } {
  const tools = policy.tools.map((tool) => tool.toLowerCase());
  const isAllowed =
    asked.kind === "permission" &&
    policy.mode !== "reject" &&
    asked.tool !== null &&
    (tools.includes(asked.tool.toLowerCase()) || isReport(asked, policy));
  const kinds: DriverDialogOption["kind"][] = isAllowed
    ? ["allow-once", "reject-once"]
    : ["reject-once"];
  for (const kind of kinds) {
    const option = asked.options.find((offered) => offered.kind === kind);
    if (!option) continue;
    const words = `${toOptionLabel(option.label)} (the automation's policy)`;
    return {
      answer: { kind: "option", optionId: option.id },
      words,
      isAllowed: kind === "allow-once",
    };
  }
  return {
    answer: { kind: "cancelled" },
    words: "cancelled by the automation's policy",
    isAllowed: false,
  };
}
