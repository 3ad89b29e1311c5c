import type * as z from "zod";
import type {
  DialogAnswer,
  DriverDialog,
  DriverDialogOption,
} from "../../driver.ts";
import { toRequest } from "../../tools/to-request.ts";
import {
  commandApproval,
  userInput,
  type CodexItem,
  type RequestId,
} from "./codex-wire.ts";

/** A request of Codex that waits. */
export interface CodexDialog {
  dialog: DriverDialog;
  /** Takes an answer; gives the result that is sent, or the next question. */
  take(answer: DialogAnswer): { result: object } | CodexDialog;
}

const OPTIONS: readonly DriverDialogOption[] = [
  { id: "accept", label: "Allow", kind: "allow-once" },
  {
    id: "acceptForSession",
    label: "Allow for this session",
    kind: "allow-always",
  },
  { id: "decline", label: "Reject", kind: "reject-once" },
];

/** How requests are refused that cannot be shown to a user, by their methods. */
export const REFUSALS: Readonly<Record<string, object>> = {
  "item/commandExecution/requestApproval": { decision: "decline" },
  "item/fileChange/requestApproval": { decision: "decline" },
  "item/tool/requestUserInput": { answers: {} },
};

/** What Codex asks as a dialog, `undefined` for what is no question to the user. `known` are the items reported before. */
export function toDialog(
  id: RequestId,
  method: string,
  params: unknown,
  known: ReadonlyMap<string, CodexItem>,
): CodexDialog | undefined {
  switch (method) {
    case "item/commandExecution/requestApproval":
    case "item/fileChange/requestApproval": {
      const request = commandApproval.safeParse(params).data;
      return request && askPermission(id, request, known.get(request.itemId));
    }
    case "item/tool/requestUserInput": {
      const request = userInput.safeParse(params).data;
      return request && askQuestion(id, request.questions, {});
    }
    default:
      return undefined;
  }
}

function askPermission(
  id: RequestId,
  { command, cwd, reason }: z.infer<typeof commandApproval>,
  item: CodexItem | undefined,
): CodexDialog {
  const changes = item?.type === "fileChange" ? item.changes : [];
  const tool = changes.length > 0 ? "edit" : "shell";
  const text = toRequest({
    name: tool,
    title: "",
    input: command ? JSON.stringify({ command, cwd }) : "",
    changes: [],
    notes: [
      ...(reason ? [reason] : []),
      ...changes.map(({ path, diff }) => `${path}\n${diff}`),
    ],
    paths: changes.map(({ path }) => path),
  });
  return {
    dialog: {
      id: `request-${id}`,
      kind: "permission",
      ...text,
      tool,
      options: [...OPTIONS],
      takesText: false,
    },
    take(answer) {
      const chosen = answer.kind === "option" ? answer.optionId : "decline";
      const known = OPTIONS.some((option) => option.id === chosen);
      return { result: { decision: known ? chosen : "decline" } };
    },
  };
}

function askQuestion(
  id: RequestId,
  [question, ...later]: z.infer<typeof userInput>["questions"],
  answers: Readonly<Record<string, { answers: string[] }>>,
): CodexDialog {
  const options = question?.options ?? [];
  return {
    dialog: {
      // Each question is a dialog of its own: what was answered is closed.
      id: `request-${id}-${Object.keys(answers).length}`,
      kind: "question",
      title: question?.question ?? "",
      body: options
        .filter(({ description }) => description !== "")
        .map(({ label, description }) => `${label}: ${description}`)
        .join("\n"),
      tool: null,
      options: options.map(({ label }) => ({
        id: label,
        label,
        kind: "other",
      })),
      takesText: true,
    },
    take(answer) {
      const said =
        answer.kind === "text"
          ? [answer.value]
          : answer.kind === "option"
            ? [answer.optionId]
            : [];
      const all = { ...answers, [question?.id ?? ""]: { answers: said } };
      return later.length > 0
        ? askQuestion(id, later, all)
        : { result: { answers: all } };
    },
  };
}
