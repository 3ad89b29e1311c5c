import { errors } from "../errors.ts";
import { HostRefusal } from "../hosting/host-client.ts";
import type { HostLink } from "../hosting/host-link.ts";
import type { SentAnswer } from "../wire/protocol.ts";
import { ask } from "./ask-host.ts";
import type { Terminals } from "./terminals.ts";

/** A text for a terminal, and how it is entered there. */
export interface TextToSend {
  id: string;
  how: "type" | "run" | "paste";
  text: string;
  /** The program that it is meant for; whichever is there unless given. */
  incarnation?: string;
}

/**
 * Sends text into a terminal.
 *
 * Rejects with `TERMINAL_NOT_FOUND`, `TERMINAL_EXITED`, `TERMINAL_BUSY`, `TERMINAL_KIND`, `TERMINAL_INPUT_FULL`, and with
 * `TERMINAL_REPLACED` if its program is not the one that was meant.
 */
export type SendText = (sending: TextToSend) => Promise<void>;

const BUSY = {
  busy: "a command is running; wait for its end.",
  typed: "something is typed at its prompt already.",
  unknown:
    "its shell does not tell when it is at its prompt; bash, zsh and fish do.",
} as const;

/** Makes the way into the terminals. */
export function createSendText(terminals: Terminals, link: HostLink): SendText {
  return async ({ id, how, text, incarnation }) => {
    const record = await terminals.record(id);
    if (!record) throw errors.TERMINAL_NOT_FOUND({ id });
    const { name, kind } = record;
    const gone = () =>
      incarnation === undefined
        ? errors.TERMINAL_EXITED({ name })
        : errors.TERMINAL_REPLACED({ name });
    if (incarnation !== undefined && incarnation !== record.incarnation)
      throw gone();
    if (how === "run" && kind === "cli")
      throw errors.TERMINAL_KIND({
        name,
        reason: "it shows a program, which runs no commands.",
      });
    const client = await link.find();
    if (record.state === "exited" || !client) throw gone();
    const { refused } = await ask(() =>
      client.request(how, { id, text }),
    ).catch((error: unknown): SentAnswer => {
      if (error instanceof HostRefusal && error.code === "gone")
        return { refused: "gone" };
      throw error;
    });
    if (refused === null) return;
    if (refused === "gone") throw gone();
    if (refused === "full") throw errors.TERMINAL_INPUT_FULL({ name });
    if (refused === "lines")
      throw errors.TERMINAL_KIND({
        name,
        reason:
          "its program takes no pasted text now, so only one line without tabs can be sent.",
      });
    throw errors.TERMINAL_BUSY({ name, reason: BUSY[refused] });
  };
}
