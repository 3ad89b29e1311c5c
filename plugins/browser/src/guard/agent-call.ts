/** A well-formed call of an agent that has not been judged yet. */
export interface AgentCall {
  id: number;
  method: string;
  params: Readonly<Record<string, unknown>>;
  /** As sent, of any type. */
  sessionId: unknown;
}

/** Checks that a message is a call. Returns it, or a description of what is wrong with it. */
export function toCall(message: unknown): AgentCall | string {
  if (typeof message !== "object" || message === null)
    return "this is not a call";
  const { id, method, params, sessionId } = message as Record<string, unknown>;
  if (typeof id !== "number" || !Number.isSafeInteger(id))
    return "the id of a call must be an integer";
  if (typeof method !== "string") return "a call must have a method";
  if (
    params !== undefined &&
    (typeof params !== "object" || params === null || Array.isArray(params))
  )
    return "the parameters of a call must be an object";
  return {
    ...{ id, method, sessionId },
    params: (params ?? {}) as AgentCall["params"],
  };
}

/** The id of a message that need not be a call; -1 for none. */
export function idOf(message: unknown): number {
  const id = (message as { id?: unknown } | null)?.id;
  return typeof id === "number" ? id : -1;
}
