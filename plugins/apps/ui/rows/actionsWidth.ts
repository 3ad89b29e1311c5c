import type { Row } from "../wire.ts";

/** Widths in px: a character of a label, the rest of a button, and the button of the menu. */
const CHARACTER = 6.6;
const BUTTON = 14;
const ICON = 22;
const MENU = 30;
/** A longer label is cut. */
const MAX_LABEL = 20;

/** Room in px for the actions of any of the rows, so that what stands before them is in line. */
export function actionsWidth(rows: readonly Row[], inline: number): number {
  const widths = rows.map(({ actions }) => {
    const buttons = actions
      .slice(0, inline)
      .map(
        ({ label, icon }) =>
          Math.min(label.length, MAX_LABEL) * CHARACTER +
          BUTTON +
          (icon ? ICON : 0),
      );
    const menu = actions.length > inline ? MENU : 0;
    return buttons.reduce((sum, width) => sum + width, menu);
  });
  return Math.ceil(Math.max(0, ...widths));
}
