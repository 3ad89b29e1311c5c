import { readFile } from "node:fs/promises";
import { format } from "prettier";
import { renderReference } from "./render.ts";
import type { DescribedArea } from "./areas.ts";

const START = "<!-- reference -->";
const END = "<!-- /reference -->";

/**
 * A README as it is and as it should be.
 *
 * @throws Error if it has no place for the tables
 */
export async function compareReadme({ readme, area }: DescribedArea): Promise<{
  readme: string;
  current: string;
  wanted: string;
}> {
  const current = await readFile(readme, "utf8");
  const start = current.indexOf(START);
  const end = current.indexOf(END);
  if (start < 0 || end < start) {
    throw new Error(`${readme} needs a place for its tables: ${START} ${END}`);
  }
  const text = [
    current.slice(0, start + START.length),
    renderReference(area),
    current.slice(end),
  ].join("\n\n");
  return {
    readme,
    current,
    wanted: await format(text, { parser: "markdown" }),
  };
}
