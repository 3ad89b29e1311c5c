import {
  methods,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import { createIdentifier } from "@gantry/plugin";
import * as z from "zod";
import type {
  DialogAnswer,
  DriverDialog,
  DriverDialogOption,
} from "../../driver.ts";
import { toRequest, type RequestedTool } from "../../tools/to-request.ts";
import type { UnreadRequest } from "./acp-stream.ts";
import type { KnownTool } from "./acp-turn.ts";

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

  /** Whether the agent waits for an answer. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /**
   * A request as a dialog, and the promise of the answer for the wire. `known` is what was said of the tool before: a
   * request need not repeat it.
   */
  open(
    request: RequestPermissionRequest,
    known: KnownTool | undefined,
  ): {
    dialog: DriverDialog;
    response: Promise<RequestPermissionResponse>;
  } {
    const id = createIdentifier("dlg");
    const { toolCall, options } = request;
    const response = new Promise<RequestPermissionResponse>((resolve) =>
      this.#waiting.set(id, resolve),
    );
    const requested = toRequestedTool(toolCall, known);
    const text = toRequest(requested);
    const dialog: DriverDialog = {
      id,
      kind: "permission",
      ...text,
      tool: toolCall.name ?? known?.name ?? toolCall.kind ?? null,
      input: requested.input,
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

/** An option as it stands at the end of a request for a permission. */
const rejectOption = z.object({
  optionId: z.string(),
  kind: z.literal("reject_once"),
});

/** The answer to a request that is too long to read: its own option to reject, if that can be found. */
export function toRefusal({ id, method, tail }: UnreadRequest): object {
  if (method !== methods.client.session.requestPermission) {
    const message = "The request is too long to read.";
    return { id, error: { code: INVALID_REQUEST, message } };
  }
  for (const [text] of tail.matchAll(/\{[^{}]*\}/g)) {
    const option = rejectOption.safeParse(parse(text)).data;
    if (!option) continue;
    const { optionId } = option;
    return { id, result: { outcome: { outcome: "selected", optionId } } };
  }
  return { id, result: CANCELLED };
}

const INVALID_REQUEST = -32600;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toRequestedTool(
  call: RequestPermissionRequest["toolCall"],
  known: KnownTool | undefined,
): RequestedTool {
  const content = call.content ?? [];
  const input = call.rawInput ?? known?.rawInput;
  return {
    name: call.name ?? known?.name ?? call.kind ?? known?.kind ?? "tool",
    title: call.title ?? known?.title ?? "",
    input: input === undefined || input === null ? "" : JSON.stringify(input),
    changes: content
      .filter((part) => part.type === "diff")
      .map(({ path, oldText, newText }) => ({
        path,
        before: oldText ?? "",
        after: newText,
      })),
    notes: content.flatMap((part) =>
      part.type === "content" && part.content.type === "text"
        ? [part.content.text]
        : [],
    ),
    paths: (call.locations ?? []).map(({ path }) => path),
  };
}
