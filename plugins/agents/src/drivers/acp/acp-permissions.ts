import type {
  RequestPermissionRequest,
  RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import { createIdentifier } from "@gantry/plugin";
import type {
  DialogAnswer,
  DriverDialog,
  DriverDialogOption,
} from "../../driver.ts";

/** Kinds by their names on the wire. Ids differ from agent to agent, so the kind is what counts. */
const KINDS: Readonly<Record<string, DriverDialogOption["kind"]>> = {
  allow_once: "allow-once",
  allow_always: "allow-always",
  reject_once: "reject-once",
  reject_always: "reject-always",
};

const CANCELLED: RequestPermissionResponse = {
  outcome: { outcome: "cancelled" },
};

/** Permission requests that wait for their answers. */
export class AcpPermissions {
  readonly #waiting = new Map<
    string,
    (response: RequestPermissionResponse) => void
  >();

  /** A request as a dialog, and the promise of the answer for the wire. */
  open(request: RequestPermissionRequest): {
    dialog: DriverDialog;
    response: Promise<RequestPermissionResponse>;
  } {
    const id = createIdentifier("dlg");
    const { toolCall, options } = request;
    const response = new Promise<RequestPermissionResponse>((resolve) =>
      this.#waiting.set(id, resolve),
    );
    const dialog: DriverDialog = {
      id,
      kind: "permission",
      title: toolCall.title ?? toolCall.name ?? "The agent asks for permission",
      body: describeInput(toolCall.rawInput),
      tool: toolCall.name ?? toolCall.kind ?? null,
      options: options.map(({ optionId, name, kind }) => ({
        id: optionId,
        label: name,
        kind: KINDS[kind] ?? "other",
      })),
      takesText: false,
    };
    return { dialog, response };
  }

  answer(dialogId: string, answer: DialogAnswer): void {
    const resolve = this.#waiting.get(dialogId);
    this.#waiting.delete(dialogId);
    resolve?.(
      answer.kind === "option"
        ? { outcome: { outcome: "selected", optionId: answer.optionId } }
        : CANCELLED,
    );
  }

  /** Answers all as cancelled, which the protocol wants when a turn is cancelled. Gives their ids. */
  cancelAll(): string[] {
    const ids = [...this.#waiting.keys()];
    for (const id of ids) this.answer(id, { kind: "cancelled" });
    return ids;
  }
}

function describeInput(input: unknown): string {
  if (input === undefined || input === null) return "";
  if (
    typeof input === "object" &&
    "command" in input &&
    typeof input.command === "string"
  )
    return input.command;
  return JSON.stringify(input, null, 2).slice(0, 8192);
}
