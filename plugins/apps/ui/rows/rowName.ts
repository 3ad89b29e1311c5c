import { cellText } from "../cells/cellText.ts";
import type { Column, Row } from "../wire.ts";

/** What a row is called: its title, else the first of its cells that says something. */
export function rowName(
  { title, cells, id }: Row,
  columns: readonly Column[],
): string {
  if (title) return title;
  const texts = columns.map(({ key }) => cellText(cells[key]));
  return texts.find((text) => text !== "") ?? id;
}

/** Words for a colour, for people who do not see it. */
export const toneWords = {
  neutral: undefined,
  success: "OK",
  attention: "Needs attention",
  failed: "Failed",
} as const;
