import type {
  TerminalHost,
  TerminalPane,
  TerminalPanes,
  TerminalScreen,
} from "../contract.ts";
import { errors } from "../errors.ts";
import { findTerminalId } from "../host/process-tree.ts";
import { checkProgram } from "./choose-program.ts";
import type { SendText } from "./send-text.ts";
import type { TerminalView } from "./terminal-view.ts";
import type { Terminals } from "./terminals.ts";

/** The terminals for those who send text into them. */
export function createTerminalPanes(
  terminals: Terminals,
  send: SendText,
): TerminalPanes {
  return {
    async list() {
      return { items: (await terminals.running()).map(toPane) };
    },
    async describe({ id }) {
      const view = await terminals.find(id);
      return view?.state === "running" ? toPane(view) : null;
    },
    async prompt({ id, incarnation, text }) {
      const { kind, name } = await terminals.get(id);
      if (kind === "shell")
        throw errors.TERMINAL_KIND({
          name,
          reason: "a shell would run the prompt as commands.",
        });
      await send({ id, how: "paste", text, incarnation });
    },
    run: (sending) => send({ ...sending, how: "run" }),
  };
}

/** Terminals for plugins that show a program in one. */
export function createTerminalHost(
  terminals: Terminals,
  send: SendText,
  close: (id: string) => Promise<void>,
): TerminalHost {
  return {
    async open({ name, cwd, program, cli, agent }, signal) {
      await checkProgram(program.file);
      const opened = await terminals.open({
        name: name.slice(0, 100),
        cwd,
        kind: "cli",
        agent,
        cli,
        command: [program.file, ...program.args].join(" "),
        nonce: null,
        program: {
          file: program.file,
          args: [...program.args],
          env: { ...program.env },
        },
      });
      if (signal.aborted) {
        await close(opened.id);
        throw signal.reason;
      }
      return {
        terminalId: opened.id,
        pid: opened.pid ?? 0,
        incarnation: opened.incarnation,
      };
    },
    async describe({ id }) {
      const view = await terminals.find(id);
      return view ? toScreen(view) : null;
    },
    async find({ pid }) {
      const id = await findTerminalId(pid);
      const view = id === undefined ? undefined : await terminals.find(id);
      return view ? toScreen(view) : null;
    },
    async close({ id }) {
      if (await terminals.has(id)) await close(id);
    },
    paste: (sending) => send({ ...sending, how: "paste" }),
  };
}

function toScreen(view: TerminalView): TerminalScreen {
  const { pid, state, exitCode } = view;
  return { ...toPane(view), pid, state, exitCode };
}

function toPane(view: TerminalView): TerminalPane {
  const { id, name, kind, cwd, cli, agent, prompt, incarnation } = view;
  return {
    id,
    name,
    kind,
    cwd,
    cli,
    agent: agent?.name ?? null,
    atPrompt: prompt === "ready",
    incarnation,
  };
}
