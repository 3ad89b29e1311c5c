import { homedir } from "node:os";
import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { okAnswer, pageOf, pageQuery } from "@gantry/plugin/zod";
import * as z from "zod";
import { TERMINAL_OPEN_ERRORS } from "../rejections.ts";
import { chooseProgram } from "../terminals/choose-program.ts";
import type { ProgramHost } from "../terminals/choose-program.ts";
import { terminalView } from "../terminals/terminal-view.ts";
import type { Terminals } from "../terminals/terminals.ts";
import { terminalId } from "./terminal-id.ts";

const name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}]*$/u, "is to be one line");

const newTerminal = z.strictObject({
  name: name.optional(),
  cwd: z.string().max(4096).optional(),
  kind: z.enum(["shell", "cli"]).default("shell"),
  command: z
    .string()
    .max(10_000)
    .regex(/^[^\p{Cc}]*$/u, "must not have control characters")
    .optional(),
});

const change = z.strictObject({ name: name.optional() });

/** Lists, opens, renames and closes terminals. */
export function createTerminalRoutes(
  terminals: Terminals,
  programs: ProgramHost,
  close: (id: string, revision?: number) => Promise<void>,
): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/terminals",
      summary: "The terminals",
      description:
        "Newest first, those whose program has ended included. `prompt` tells whether a shell waits for a command, `unknown` if it does not say.",
      access: "session",
      query: pageQuery,
      returns: pageOf(terminalView),
      handle: ({ query }) => terminals.list(query),
    }),
    defineRoute({
      method: "POST",
      path: "/api/terminals",
      summary: "Open a terminal",
      description:
        "`kind: shell` starts the user's shell, or the one that `command` names; `kind: cli` runs the command line in `command` by that shell. `cwd` is an absolute path, the user's own folder unless given. It runs on when the daemon stops.",
      access: "session",
      idempotent: true,
      body: newTerminal,
      returns: terminalView,
      errors: [...TERMINAL_OPEN_ERRORS, "TERMINAL_COMMAND_MISSING"],
      async handle({ body: { kind, command, cwd = homedir(), ...body } }) {
        const chosen = await chooseProgram(programs, kind, command);
        return terminals.open({
          ...chosen,
          name: body.name ?? (chosen.cli ?? chosen.command).slice(0, 100),
          cwd,
          kind,
          agent: null,
        });
      },
    }),
    defineRoute({
      method: "GET",
      path: "/api/terminals/{id}",
      summary: "One terminal",
      access: "session",
      params: terminalId,
      returns: terminalView,
      errors: ["TERMINAL_NOT_FOUND"],
      handle: ({ params: { id } }) => terminals.get(id),
    }),
    defineRoute({
      method: "PATCH",
      path: "/api/terminals/{id}",
      summary: "Rename a terminal",
      access: "session",
      params: terminalId,
      body: change,
      returns: terminalView,
      errors: ["TERMINAL_NOT_FOUND"],
      async handle({ params: { id }, body, ifMatch }) {
        const current = await terminals.get(id);
        return terminals.rename(id, body.name ?? current.name, ifMatch);
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/api/terminals/{id}",
      summary: "Close a terminal",
      description:
        "Ends everything that runs in it, the whole tree of processes: hang-up and TERM, after two seconds KILL.",
      access: "session",
      params: terminalId,
      returns: okAnswer,
      errors: ["TERMINAL_NOT_FOUND", "TERMINAL_UNAVAILABLE"],
      async handle({ params: { id }, ifMatch }) {
        await close(id, ifMatch);
        return { ok: true as const };
      },
    }),
  ];
}
