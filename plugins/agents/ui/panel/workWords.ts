import type { Agent } from "../wire.ts";

/** The background tasks of an agent, in words. */
export function toWorkWords(work: Agent["openWork"]): {
  count: string;
  titles: string;
} {
  const count =
    work.length === 1
      ? "1 background task running"
      : `${work.length} background tasks running`;
  const titles = work.map(({ title }) => title).filter((title) => title !== "");
  return { count, titles: titles.join("; ") };
}
