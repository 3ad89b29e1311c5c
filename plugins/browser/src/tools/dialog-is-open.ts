import { fencePageText, toSeenText } from "./page-fence.ts";
import { ToolProblem } from "./tool-problem.ts";

const MAX_DIALOG_LENGTH = 1000;

/** A dialog that blocks its page. */
export interface OpenDialog {
  type: string;
  message: string;
}

/** The page is blocked by a dialog and answers no other calls until the dialog is answered. */
export class DialogIsOpen extends ToolProblem {
  constructor({ type, message }: OpenDialog) {
    const text = toSeenText(message.slice(0, MAX_DIALOG_LENGTH));
    super(
      `The page has opened a dialog (${type}) and waits. Answer it with browser_dialog. It says:\n${fencePageText(text)}`,
    );
  }
}
