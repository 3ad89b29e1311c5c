import type { IMarker, Terminal } from "@xterm/headless";
import type { PromptState } from "../wire/protocol.ts";

const PROMPT_MARK = 133;

/** Whether a shell is at its prompt, as its own marks tell. */
export interface PromptMarks {
  readonly state: PromptState;
  /** Whether something was typed behind the prompt already. */
  readonly hasTyped: boolean;
  /**
   * Notes that Enter was typed. The shell then reports what it does, unless its marks have been switched off.
   *
   * @param state What the shell is taken for until then, if it was ready.
   */
  enter(state: "busy" | "unknown"): void;
}

/**
 * Follows the marks (OSC 133) of our shell integration. Marks without the nonce are output of a program, such as a file that was
 * printed, and are ignored.
 */
export function followPrompt(
  terminal: Terminal,
  nonce: string | null,
): PromptMarks {
  let state: PromptState = "unknown";
  let line: IMarker | undefined;
  let column = 0;

  terminal.parser.registerOscHandler(PROMPT_MARK, (data) => {
    const [letter, ...options] = data.split(";");
    if (nonce === null || !options.includes(`gantry=${nonce}`)) return true;
    line?.dispose();
    line = undefined;
    if (letter === "B") {
      state = "ready";
      line = terminal.registerMarker(0);
      column = terminal.buffer.active.cursorX;
    } else {
      state = "busy";
    }
    return true;
  });

  return {
    enter(next) {
      if (state === "ready") state = next;
    },
    get state() {
      return state;
    },
    get hasTyped() {
      const { baseY, cursorY, cursorX } = terminal.buffer.active;
      return line?.line !== baseY + cursorY || cursorX !== column;
    },
  };
}
