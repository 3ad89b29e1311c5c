/** The answer to a question of an extension. */
export interface DialogAnswer {
  value?: string;
  confirmed?: boolean;
  cancelled?: boolean;
}

/** The token counts that pi reports while they are unknown. */
export const ZERO_USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { total: 0 },
};

/** Writes text in the format of either version line. */
export function writeUpdate(
  isNew: boolean,
  event: object,
  partial: object,
): void {
  const line = isNew
    ? {
        type: "message_update",
        usage: ZERO_USAGE,
        assistantMessageEvent: event,
      }
    : {
        type: "message_update",
        assistantMessageEvent: { ...event, partial },
        message: partial,
      };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** The default usage of a message. */
export const USUAL_USAGE = { input: 100, output: 20, cost: { total: 0.0006 } };
