import type { Cli } from "../wire.ts";

/** How a CLI is called, without what is told of it in parentheses. */
export function toShortTitle({ title }: Pick<Cli, "title">): string {
  return title.split(" (", 1)[0] ?? title;
}
