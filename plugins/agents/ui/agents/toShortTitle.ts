import type { Cli } from "../wire.ts";

/** Name of a CLI, without the remark in parentheses. */
export function toShortTitle({ title }: Pick<Cli, "title">): string {
  return title.split(" (", 1)[0] ?? title;
}
