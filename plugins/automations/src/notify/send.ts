import { isGantryError } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import type { ChatMessage } from "./chat-message.ts";

/** What came of one try to deliver a message. */
export interface Delivery {
  /** Missing if it arrived. */
  failure?: DeliveryFailure;
  status: number | null;
  /** What the target answered. */
  answer: string;
}

/** Why a message did not arrive. Says nothing of the address, which is a secret. */
export interface DeliveryFailure {
  code: string;
  error: string;
}

export type Send = (
  url: string,
  message: ChatMessage,
  signal: AbortSignal,
) => Promise<Delivery>;

/** Makes what posts a message, through the guard for requests that leave this machine. */
export function createSend(fetch: PluginContext["fetch"]): Send {
  return async (url, message, signal) => {
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json; charset=utf-8" },
        body: JSON.stringify(message),
        signal,
      });
      const { status } = response;
      const answer = await response.text();
      return { failure: judge(status), status, answer };
    } catch (error) {
      return { failure: explain(error), status: null, answer: "" };
    }
  };
}

function judge(status: number): DeliveryFailure | undefined {
  if (status >= 200 && status < 300) return undefined;
  return status >= 300 && status < 400
    ? {
        code: "redirect",
        error: `The target answered with a redirect (${status}), which is not followed.`,
      }
    : {
        code: "refused",
        error: `The target answered with the status ${status}.`,
      };
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "Nothing listens at the target.",
  ECONNRESET: "The target closed the connection.",
  EAI_AGAIN: "The name of the target could not be looked up.",
  ENOTFOUND: "The name of the target is not known.",
  EPROTO: "The target does not speak HTTPS.",
  HPE_HEADER_OVERFLOW: "The target answered with headers without end.",
};

function explain(error: unknown): DeliveryFailure {
  if (isGantryError(error)) return { code: error.code, error: error.message };
  const { name } = error as Error;
  if (name === "TimeoutError")
    return { code: "timeout", error: "The target did not answer in time." };
  const cause = (error as Error).cause as { code?: unknown } | undefined;
  const code =
    typeof cause?.code === "string" && /^\w{1,60}$/.test(cause.code)
      ? cause.code
      : "unreachable";
  const words = WORDS[code] ?? `The target could not be reached (${code}).`;
  return { code, error: words };
}
