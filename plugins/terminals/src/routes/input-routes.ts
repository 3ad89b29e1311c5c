import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { okAnswer } from "@gantry/plugin/zod";
import * as z from "zod";
import { errors } from "../errors.ts";
import type { SendText } from "../terminals/send-text.ts";
import type { Terminals } from "../terminals/terminals.ts";
import { terminalId } from "./terminal-id.ts";

const MAX_TEXT_LENGTH = 100_000;

const text = z.string().min(1).max(MAX_TEXT_LENGTH);
/** Named by `incarnation`, a program gets what was meant for it and for no other. */
const incarnation = z.string().max(100).optional();
const textBody = z.strictObject({ text, incarnation });
const commandBody = z.strictObject({ command: text, incarnation });

const SENDING_ERRORS = [
  "TERMINAL_NOT_FOUND",
  "TERMINAL_EXITED",
  "TERMINAL_REPLACED",
  "TERMINAL_KIND",
  "TERMINAL_INPUT_FULL",
  "TERMINAL_UNAVAILABLE",
];

/** Sends text into terminals. */
export function createInputRoutes(
  terminals: Terminals,
  send: SendText,
): RouteDefinition[] {
  return [
    defineRoute({
      method: "POST",
      path: "/api/terminals/{id}/type",
      summary: "Type into a terminal, without Enter",
      description:
        "Of the control characters only the tab may be in it. Whatever runs in the terminal gets it.",
      access: "session",
      params: terminalId,
      body: textBody,
      returns: okAnswer,
      errors: [...SENDING_ERRORS, "TERMINAL_TEXT_CONTROL"],
      async handle({ params: { id }, body }) {
        checkControls(body.text, "\t", "Only tabs may be in it.");
        await send({ ...body, id, how: "type" });
        return { ok: true as const };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/terminals/{id}/run",
      summary: "Run a command in a shell",
      description:
        "Pastes it at the prompt and presses Enter. Refused unless the shell is known to wait at an empty prompt, so that no running program gets it for input.",
      access: "session",
      params: terminalId,
      body: commandBody,
      returns: okAnswer,
      errors: [...SENDING_ERRORS, "TERMINAL_BUSY", "TERMINAL_TEXT_CONTROL"],
      async handle({ params: { id }, body }) {
        checkControls(
          body.command,
          "\t\n",
          "Only line ends and tabs may be in it.",
        );
        const { command, incarnation } = body;
        await send({ id, how: "run", text: command, incarnation });
        return { ok: true as const };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/terminals/{id}/prompt",
      summary: "Paste a prompt into a CLI",
      description:
        "As the bracketed paste of a keyboard does, then Enter. Control characters, which could end the paste, are left out.",
      access: "session",
      params: terminalId,
      body: textBody,
      returns: okAnswer,
      errors: SENDING_ERRORS,
      async handle({ params: { id }, body }) {
        const { kind, name } = await terminals.get(id);
        if (kind === "shell")
          throw errors.TERMINAL_KIND({
            name,
            reason:
              "a shell would run the prompt as commands; `run` is for those.",
          });
        await send({ ...body, id, how: "paste" });
        return { ok: true as const };
      },
    }),
  ];
}

function checkControls(text: string, allowed: string, said: string): void {
  for (const char of text) {
    if (allowed.includes(char) || !/\p{Cc}/u.test(char)) continue;
    const code = char.codePointAt(0) ?? 0;
    throw errors.TERMINAL_TEXT_CONTROL({
      character: `U+${code.toString(16).toUpperCase().padStart(4, "0")}`,
      allowed: said,
    });
  }
}
