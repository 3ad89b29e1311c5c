import * as z from "zod";
import type { DialogAnswer, DriverDialog } from "../../driver.ts";
import { toRequest } from "../../tools/to-request.ts";
import type { ClaudePermission } from "./claude-wire.ts";

const questions = z
  .array(
    z.looseObject({
      question: z.string(),
      header: z.string().catch(""),
      multiSelect: z.boolean().catch(false),
      options: z
        .array(
          z.looseObject({
            label: z.string(),
            description: z.string().catch(""),
          }),
        )
        .catch([]),
    }),
  )
  .min(1);

type Question = z.infer<typeof questions>[number];

/** What is sent in answer to a request. */
type Verdict = { behavior: "allow" | "deny"; [field: string]: unknown };

/** A request of Claude Code that waits: for a permission, or for answers to its questions one after the other. */
export interface ClaudeDialog {
  dialog: DriverDialog;
  /** Takes an answer; gives what is sent, or the next question. */
  take(answer: DialogAnswer): Verdict | ClaudeDialog;
}

/** A request to use a tool as a dialog. */
export function toDialog(id: string, request: ClaudePermission): ClaudeDialog {
  const asked =
    request.tool_name === "AskUserQuestion"
      ? questions.safeParse(request.input["questions"])
      : undefined;
  return asked?.success
    ? askQuestion(id, request, asked.data, {})
    : askPermission(id, request);
}

function askPermission(id: string, request: ClaudePermission): ClaudeDialog {
  // A permanent rule would be written into the folder's own settings, which would then have to be trusted again.
  const rules = request.permission_suggestions
    .filter(({ type }) => type === "addRules")
    .map((rule) => ({ ...rule, destination: "session" }));
  const { tool_name: tool, input } = request;
  const text = toRequest({
    name: tool,
    title: "",
    input: JSON.stringify(input),
    changes: [],
    notes: [],
    paths: [],
  });
  const options: DriverDialog["options"] = [
    { id: "allow", label: "Allow", kind: "allow-once" },
    { id: "deny", label: "Reject", kind: "reject-once" },
  ];
  if (rules.length > 0)
    options.splice(1, 0, {
      id: "always",
      label: "Allow for this session",
      kind: "allow-always",
    });
  return {
    dialog: {
      id,
      kind: "permission",
      ...text,
      tool,
      input: JSON.stringify(input),
      options,
      takesText: false,
    },
    take(answer) {
      const chosen = answer.kind === "option" ? answer.optionId : undefined;
      if (chosen === "allow") return { behavior: "allow", updatedInput: input };
      if (chosen === "always" && rules.length > 0)
        return {
          behavior: "allow",
          updatedInput: input,
          updatedPermissions: rules,
        };
      return { behavior: "deny", message: "The user said no." };
    },
  };
}

function askQuestion(
  id: string,
  request: ClaudePermission,
  [question, ...later]: Question[],
  answers: Readonly<Record<string, string>>,
): ClaudeDialog {
  const { question: title = "", options = [], multiSelect } = question ?? {};
  const described = options
    .filter(({ description }) => description !== "")
    .map(({ label, description }) => `${label}: ${description}`);
  if (multiSelect)
    described.push("Several may be chosen: write them with commas.");
  return {
    dialog: {
      // Each question is a dialog of its own: what was answered is closed.
      id: `${id}-${Object.keys(answers).length}`,
      kind: "question",
      title,
      body: described.join("\n"),
      tool: request.tool_name,
      options: options.map(({ label }) => ({
        id: label,
        label,
        kind: "other",
      })),
      takesText: true,
    },
    take(answer) {
      if (answer.kind === "cancelled")
        return { behavior: "deny", message: "The user did not answer." };
      const said = answer.kind === "text" ? answer.value : answer.optionId;
      const all = { ...answers, [title]: said };
      if (later.length > 0) return askQuestion(id, request, later, all);
      return {
        behavior: "allow",
        updatedInput: { ...request.input, answers: all },
      };
    },
  };
}
