import type {
  DialogAnswer,
  DriverDialog,
  DriverDialogOption,
} from "@gantry/agent-kit";
import type { UiRequest } from "./pi-wire.ts";

const YES = /^(yes|allow|approve|accept|proceed|ok)\b/i;
const NO = /^(no|deny|block|reject|refuse|cancel)\b/i;

/** Whether a method waits for an answer; the others only inform. */
export function isQuestion(method: string): boolean {
  return ["select", "confirm", "input", "editor"].includes(method);
}

/**
 * Converts a question of a pi extension into a dialog. Extensions ask for permission with an ordinary choice, so its
 * wording decides.
 */
export function toDialog(request: UiRequest): DriverDialog {
  const options = optionsOf(request);
  const asksPermission =
    options.some(({ kind }) => kind === "allow-once") &&
    options.some(({ kind }) => kind === "reject-once");
  return {
    id: request.id,
    kind: asksPermission ? "permission" : "question",
    title: request.title,
    body: request.message ?? request.prefill ?? request.placeholder ?? "",
    tool: null,
    options,
    takesText: request.method === "input" || request.method === "editor",
  };
}

function optionsOf(request: UiRequest): DriverDialogOption[] {
  if (request.method === "confirm") {
    return [
      { id: "yes", label: "Yes", kind: "allow-once" },
      { id: "no", label: "No", kind: "reject-once" },
    ];
  }
  return (request.options ?? []).map((label) => ({
    id: label,
    label,
    kind: YES.test(label)
      ? "allow-once"
      : NO.test(label)
        ? "reject-once"
        : "other",
  }));
}

/** The line that answers a question of an extension. */
export function toResponse(request: UiRequest, answer: DialogAnswer): object {
  const line = { type: "extension_ui_response", id: request.id };
  if (answer.kind === "cancelled") return { ...line, cancelled: true };
  if (answer.kind === "text") return { ...line, value: answer.value };
  if (request.method === "confirm")
    return { ...line, confirmed: answer.optionId === "yes" };
  return { ...line, value: answer.optionId };
}
